import { dayWithZone, taskFacts } from '../../shared/domain/contact-task.ts';

describe('dayWithZone', () => {
  test.each([
    ['Europe/Athens', 'Monday, May 5, 2031 (Eastern European Time)'],
    ['America/New_York', 'Sunday, May 4, 2031 (Eastern Time)'],
  ])('is the day in %s', (zone, day) => {
    expect(dayWithZone('en', zone, '2031-05-04T22:30:00Z')).toBe(day);
  });

  test('is in the reader’s language', () => {
    expect(dayWithZone('de', 'Europe/Athens', '2031-05-04T22:30:00Z')).toBe(
      'Montag, 5. Mai 2031 (Osteuropäische Zeit)',
    );
  });
});

describe('taskFacts', () => {
  const dayIn = (timeZone: string, at: string) => dayWithZone('en', timeZone, at);
  const details = {
    place: ['Tower One', 'Flat 41'],
    timezone: 'UTC',
    question: 'Is it tight?',
    finding: { label: 'Is it tight?', severity: 'major' as const, description: '' },
    note: '',
    asker: 'Ana',
    found: [],
  };

  test('says a question once, and leaves out what is not known', () => {
    expect(taskFacts('en', dayIn, { due_at: null, contact: null }, details)).toEqual([
      ['Location', 'Tower One › Flat 41'],
      ['Question', 'Is it tight?'],
      ['Finding', 'Major'],
      ['By', 'Ana'],
    ]);
  });

  test('names the contact with their company', () => {
    const contact = { name: 'Cara', company: 'Cool Ltd', email: null, phone: null };
    expect(taskFacts('en', dayIn, { due_at: null, contact }, { ...details, place: [] }).at(-1)).toEqual([
      'Assigned to',
      'Cara, Cool Ltd',
    ]);
  });
});

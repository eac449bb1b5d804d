import { placeholderValues, capitalized, readerOf } from '../../../shared/domain/mail/reader.ts';

const organization = { locale: 'en-GB', timezone: 'Europe/Warsaw', time_format: '24h' } as const;
const EVENING = '2030-01-01T22:30:00.000Z';
/** With ordinary spaces, whichever the version of Unicode's data has. */
const plain = (text: string) => text.replaceAll(/\s/g, ' ');

describe('readerOf', () => {
  test.each<[string, Parameters<typeof readerOf>, string, string]>([
    [
      'the organization’s',
      [organization],
      'Tue 1 January 2030 at 23:30 Central European Time',
      'Tue 1 January 2030',
    ],
    [
      'a time zone of one’s own',
      [organization, { timezone: 'Asia/Tokyo' }],
      'Wed 2 January 2030 at 07:30 Japan Standard Time',
      'Wed 2 January 2030',
    ],
    [
      'twelve hours',
      [{ ...organization, time_format: '12h' }],
      'Tue 1 January 2030 at 11:30 pm Central European Time',
      'Tue 1 January 2030',
    ],
    [
      'a region of one’s own',
      [organization, { locale: 'en-US' }],
      'Tue, January 1, 2030 at 23:30 Central European Time',
      'Tue, January 1, 2030',
    ],
    [
      'a language without texts',
      [organization, { locale: 'xx-YY' }],
      'Tue, January 1, 2030 at 23:30 Central European Time',
      'Tue, January 1, 2030',
    ],
  ])('writes dates by %s', (_, given, dateTime, date) => {
    const reader = readerOf(...given);
    const written = [reader.dateTime(EVENING), reader.date(EVENING)].map((text) =>
      plain(text).replace(/^(\w+),? (\d)/, '$1 $2'),
    );
    expect(written).toEqual([dateTime, date]);
  });

  test('reads in one’s own language, else in the organization’s', () => {
    const german = { ...organization, locale: 'de-CH' };
    expect(readerOf(german).language).toBe('de');
    expect(readerOf(german, { locale: null }).language).toBe('de');
    const french = readerOf(german, { locale: 'fr' });
    expect([french.language, french.texts]).toEqual([
      'fr',
      readerOf({ ...organization, locale: 'fr' }).texts,
    ]);
    expect(plain(readerOf(german).date(EVENING))).toContain('1. Januar 2030');
  });
});

test.each([
  ['inspection', 'en', 'Inspection'],
  ['inceleme', 'tr', 'İnceleme'],
  ['', 'en', ''],
  ['éa b', 'fr', 'Éa b'],
] as const)('capitalized: %s in %s', (text, language, expected) =>
  expect(capitalized(text, language)).toBe(expected),
);

describe('placeholderValues', () => {
  const inspection = {
    number: 7,
    name: 'Kitchen',
    score: { percentage: 87.5, result: 'pass' },
    completed_at: null,
    submitted_at: null,
    started_at: null,
    scheduled_for: null,
    created_at: '2030-01-05T12:00:00.000Z',
  };
  const values = (changes: object = {}, more: object = {}) =>
    placeholderValues(
      {
        inspection: { ...inspection, ...changes } as never,
        client: 'Duck Ltd',
        location: 'Pier 3',
        template: 'Food',
        organization: 'Safe',
        ...more,
      },
      readerOf(organization),
    );

  test('say what the inspection has', () =>
    expect({ ...values(), date: '' }).toEqual({
      'inspection.number': '7',
      'inspection.name': 'Kitchen',
      'client.name': 'Duck Ltd',
      'location.name': 'Pier 3',
      'template.name': 'Food',
      'organization.name': 'Safe',
      score: '87.5%',
      result: readerOf(organization).texts.results.pass,
      date: '',
    }));

  test.each<[object, object]>([
    [{ score: null }, { score: '', result: '' }],
    [{ score: { percentage: null, result: null } }, { score: '', result: '' }],
    [
      { score: { percentage: 0, result: 'fail' } },
      { score: '0%', result: readerOf(organization).texts.results.fail },
    ],
    [{ score: { percentage: 66.666, result: 'pass' } }, { score: '66.67%' }],
  ])('of %j are %j', (changes, expected) => expect(values(changes)).toMatchObject(expected));

  test('are empty for a client and a location that the inspection has not', () =>
    expect(values({}, { client: null, location: null })).toMatchObject({
      'client.name': '',
      'location.name': '',
    }));

  test('have the date of the last step that was taken', () => {
    const steps = ['scheduled_for', 'started_at', 'submitted_at', 'completed_at'];
    const given: Record<string, string> = {};
    expect(plain(values().date)).toContain('5 January');
    for (const [i, step] of steps.entries()) {
      given[step] = `2030-01-1${i}T12:00:00.000Z`;
      expect(plain(values(given).date)).toContain(`1${i} January`);
    }
  });
});

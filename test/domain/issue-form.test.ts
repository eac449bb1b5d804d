import { checkEntered } from '../../shared/domain/issue-form/check.ts';
import {
  answerField,
  choiceField,
  type Entered,
  enteredIn,
  NOTHING_ENTERED,
  photosIn,
  photosText,
  textIn,
  localized,
} from '../../shared/domain/issue-form/fields.ts';
import { claimedNonce, newStamp, readStamp } from '../../shared/domain/issue-form/stamp.ts';
import type { IssueCategory, IssueQuestion } from '../../shared/schemas/issues/category.ts';
import type { ContactRule } from '../../shared/schemas/issues/public-link.ts';
import { uuid } from '../support/content.ts';

const OPTIONS = ['a', 'b'].map((value) => ({ value, label: value.toUpperCase() }));
const question = (
  n: number,
  type: IssueQuestion['type'],
  more: Partial<IssueQuestion> = {},
): IssueQuestion => ({
  id: uuid(n),
  type,
  label: `Question ${n}`,
  required: false,
  options: type.endsWith('_select') ? OPTIONS : null,
  ...more,
});

describe('what was entered into the form of an issue', () => {
  const PHOTO = question(1, 'photo');
  const MANY = question(2, 'multi_select');
  const TEXT = question(3, 'text');

  test('is read by the fields that the form has', () => {
    const sent = {
      description: 'Loose\r\nrail',
      name: ' Ada ',
      email: ' ada@example.com ',
      phone: '123',
      photos: `0:,1:${uuid(1)}`,
      [answerField(uuid(1))]: 'no text',
      [choiceField(uuid(2), 1)]: 'on',
      [answerField(uuid(3))]: 'x',
      [answerField(uuid(4))]: 'not asked',
    };
    expect(enteredIn(sent, [PHOTO, MANY, TEXT])).toEqual({
      description: 'Loose\nrail',
      name: ' Ada ',
      email: 'ada@example.com',
      phone: '123',
      answers: new Map<string, unknown>([
        [uuid(2), ['b']],
        [uuid(3), 'x'],
      ]),
      photos: [
        { slot: 0, questionId: null },
        { slot: 1, questionId: uuid(1) },
      ],
    });
    expect(enteredIn({}, [])).toEqual(NOTHING_ENTERED);
    expect([textIn({ name: ['a'] }, 'name'), textIn({}, 'name')]).toEqual(['', '']);
    expect(enteredIn({}, [question(2, 'multi_select', { options: null })]).answers).toEqual(
      new Map([[uuid(2), []]]),
    );
    expect([answerField('q'), choiceField('q', 2)]).toEqual(['answer.q', 'answer.q.2']);
  });

  test('has each photo once, of the questions for photos', () => {
    const found = (text: string) => photosText(photosIn(text, [PHOTO, TEXT]));
    expect(found('')).toBe('');
    expect(found(`29:,30:,0:${uuid(1)}`)).toBe(`29:,0:${uuid(1)}`);
    expect(found(`1:${uuid(3)},2:${uuid(9)}`)).toBe('1:,2:');
    expect(found(`1:,1:${uuid(1)}`)).toBe(`1:${uuid(1)}`);
    expect(found('x1:,1:x,001:,:,1,-1:')).toBe('');
  });
});

describe('a report of an issue', () => {
  const check = (
    questions: IssueQuestion[],
    entered: Partial<Entered> = {},
    rule: ContactRule = 'optional',
    withPhotos?: boolean,
  ) =>
    checkEntered(questions, rule, { ...NOTHING_ENTERED, description: 'Loose rail', ...entered }, withPhotos);
  const answered = (asked: IssueQuestion, value: string | readonly string[]) => {
    const { answers, problems } = check([asked], { answers: new Map([[asked.id, value]]) });
    return problems[0] ?? answers[0]?.value;
  };
  const fault = (fault: string, n?: number) => ({
    field: `answer.${uuid(1)}`,
    fault,
    ...(n !== undefined && { n }),
  });

  test.each<[IssueQuestion['type'], string | readonly string[], unknown]>([
    ['number', ' 12 ', 12],
    ['number', '-1,5', -1.5],
    ['number', '+0.25', 0.25],
    ['number', '1'.repeat(15), 111_111_111_111_111],
    ['number', '1'.repeat(16), fault('number')],
    ['number', `0.${'1'.repeat(10)}`, 0.111_111_111_1],
    ['number', `0.${'1'.repeat(11)}`, fault('number')],
    ['number', '1e3', fault('number')],
    ['number', 'x1', fault('number')],
    ['number', '1.', fault('number')],
    ['date', '2027-02-28', '2027-02-28'],
    ['date', '2027-02-29', fault('date')],
    ['date', '2027-13-01', fault('date')],
    ['date', '2027-2-28', fault('date')],
    ['date', '+002027-02-28', fault('date')],
    ['date', 'x', fault('date')],
    ['yes_no', 'yes', true],
    ['yes_no', 'no', false],
    ['yes_no', 'maybe', fault('required')],
    ['single_select', 'b', 'b'],
    ['single_select', 'c', fault('required')],
    ['multi_select', ['a', 'b'], ['a', 'b']],
    ['multi_select', [], undefined],
    ['multi_select', 'a', undefined],
    ['text', ' x ', 'x'],
    ['text', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['text', 'x'.repeat(1_001), fault('long', 1_000)],
    ['long_text', 'x'.repeat(10_000), 'x'.repeat(10_000)],
    ['long_text', 'x'.repeat(10_001), fault('long', 10_000)],
    ['text', ' ', undefined],
  ])('answers a question of the type %s, %#', (type, value, expected) => {
    expect(answered(question(1, type), value)).toEqual(expected);
  });

  test('answers each question that requires it', () => {
    const required = { required: true };
    expect(answered(question(1, 'text', required), ' ')).toEqual(fault('required'));
    expect(answered(question(1, 'multi_select', required), [])).toEqual(fault('required'));
    expect(answered(question(1, 'number', required), '0')).toBe(0);
    expect(answered(question(1, 'single_select', { options: null }), 'a')).toEqual(fault('required'));
    expect(check([question(1, 'text', required)]).problems).toEqual([fault('required')]);
    expect(check([question(1, 'text')])).toEqual({ answers: [], problems: [] });
  });

  test('has the photos that are required once they are complete', () => {
    const asked = [question(1, 'photo', { required: true }), question(2, 'photo')];
    const photo = (n: number) => ({ slot: n, questionId: uuid(n) });
    expect(check(asked).problems).toEqual([fault('required')]);
    expect(check(asked, { photos: [photo(2)] }).problems).toEqual([fault('required')]);
    expect(check(asked, { photos: [photo(1)] })).toEqual({ answers: [], problems: [] });
    expect(check(asked, {}, 'optional', false).problems).toEqual([]);
    expect(check([question(1, 'text', { required: true })], {}, 'optional', false).problems).toEqual([
      fault('required'),
    ]);
    const photos = (count: number) =>
      Array.from({ length: count }, (_, slot) => ({ slot, questionId: null }));
    expect(check([], { photos: photos(10) }).problems).toEqual([]);
    expect(check([], { photos: photos(11) }).problems).toEqual([{ field: 'photos', fault: 'photos', n: 10 }]);
  });

  test('describes what was found', () => {
    const described = (description: string) => check([], { description }).problems;
    expect(described(' ')).toEqual([{ field: 'description', fault: 'description' }]);
    expect(described('x'.repeat(10_000))).toEqual([]);
    expect(described('x'.repeat(10_001))).toEqual([{ field: 'description', fault: 'long', n: 10_000 }]);
  });

  test('says who reports, as far as the link asks', () => {
    const contact = (rule: ContactRule, entered: Partial<Entered>) => check([], entered, rule).problems;
    const missing = [{ field: 'email', fault: 'contact' }];
    expect([contact('required', {}), contact('required', { phone: ' ', name: 'Ada' })]).toEqual([
      missing,
      missing,
    ]);
    expect([contact('required', { phone: '1' }), contact('required', { email: 'a@example.com' })]).toEqual([
      [],
      [],
    ]);
    expect(contact('optional', {})).toEqual([]);
    expect(contact('optional', { email: 'x' })).toEqual([{ field: 'email', fault: 'email' }]);
    expect(contact('none', { email: 'x', name: 'x'.repeat(201) })).toEqual([]);
    const most = { name: 'x'.repeat(200), phone: '1'.repeat(50) };
    expect(contact('optional', most)).toEqual([]);
    expect(
      contact('optional', { name: `${most.name}x`, phone: `${most.phone}1`, email: 'a'.repeat(321) }),
    ).toEqual([
      { field: 'name', fault: 'long', n: 200 },
      { field: 'email', fault: 'long', n: 320 },
      { field: 'phone', fault: 'long', n: 50 },
      { field: 'email', fault: 'email' },
    ]);
  });

  test('has its problems in the order of the page', () => {
    const { answers, problems } = check([question(1, 'number'), question(2, 'text')], {
      description: '',
      email: 'x',
      answers: new Map([
        [uuid(1), 'x'],
        [uuid(2), 'y'],
      ]),
    });
    expect(answers).toEqual([{ question_id: uuid(2), value: 'y' }]);
    expect(problems.map(({ fault }) => fault)).toEqual(['description', 'number', 'email']);
  });
});

describe('a category in a language', () => {
  const category = {
    name: 'Rails',
    description: 'Loose rails',
    questions: [question(1, 'single_select'), question(2, 'text')],
    translations: [
      {
        language: 'de',
        name: 'Geländer',
        description: null,
        questions: [{ id: uuid(1), label: 'Frage', options: [{ value: 'b', label: 'Beh' }] }],
      },
      {
        language: 'fr',
        name: null,
        description: 'Garde-corps',
        questions: [{ id: uuid(2), label: null, options: [] }],
      },
    ],
  } as unknown as IssueCategory;

  test('has every text that is translated, and the others as they are', () => {
    expect(localized(category, 'de')).toEqual({
      name: 'Geländer',
      description: 'Loose rails',
      questions: [
        {
          ...question(1, 'single_select'),
          label: 'Frage',
          options: [
            { value: 'a', label: 'A' },
            { value: 'b', label: 'Beh' },
          ],
        },
        question(2, 'text'),
      ],
    });
    expect(localized(category, 'fr')).toEqual({
      name: 'Rails',
      description: 'Garde-corps',
      questions: category.questions,
    });
  });

  test('is as it is where nothing is translated', () => {
    const { name, description, questions } = category;
    expect(localized(category, 'ja')).toEqual({ name, description, questions });
  });
});

describe('the stamp of a form', () => {
  const NOW = 1_800_000_000_000;
  const SECRET = 'secret';

  test('says when the form was handed out, and which it is', () => {
    const stamp = newStamp(SECRET, NOW);
    const [, nonce] = stamp.split('.');
    expect(stamp).toMatch(/^[0-9a-z]{8}\.[\w-]{22}\.[\w-]{22}$/);
    expect(readStamp(SECRET, stamp)).toEqual({ nonce, issuedAt: NOW });
    expect(claimedNonce(stamp)).toBe(nonce);
    expect(newStamp(SECRET, NOW)).not.toBe(stamp);
  });

  test('is read with the secret that signed it alone, and as it was signed', () => {
    const stamp = newStamp(SECRET, NOW);
    const [time, nonce, mac] = stamp.split('.') as [string, string, string];
    const other = (text: string) => (text.startsWith('a') ? 'b' : 'a') + text.slice(1);
    const later = (NOW + 1).toString(36);
    expect(readStamp('other', stamp)).toBeUndefined();
    for (const text of [
      `${later}.${nonce}.${mac}`,
      `${time}.${other(nonce)}.${mac}`,
      `${time}.${nonce}.${other(mac)}`,
      `!${stamp}`,
      `${stamp}x`,
      '',
    ])
      expect(readStamp(SECRET, text)).toBeUndefined();
    expect(claimedNonce(`${time}.${nonce}.${other(mac)}`)).toBe(nonce);
    expect(claimedNonce('x')).toBeUndefined();
  });
});

import { contactProblems, linkStatus, NO_REPORTER } from '../../shared/domain/issues/public-links.ts';
import { categoryProblems, checkAnswers } from '../../shared/domain/issues/questions.ts';
import {
  dueWithin,
  isIssueOpen,
  isIssueOverdue,
  type IssueMove,
  issueTransitions,
  moveBetween,
  moveFields,
  needsNote,
  reachableFrom,
} from '../../shared/domain/issues/workflow.ts';
import type { IssueQuestion } from '../../shared/schemas/issues/category.ts';
import { IssueStatus } from '../../shared/schemas/issues/issue.ts';
import { uuid } from '../support/content.ts';

const NOW = '2027-03-14T10:00:00.000Z';
const BEFORE = '2027-03-14T09:59:59.999Z';
const AFTER = '2027-03-14T10:00:00.001Z';

describe('the workflow of an issue', () => {
  /** Every way from a status to another one: the statuses, and the move. */
  const WAYS: [IssueStatus, IssueStatus, IssueMove][] = [
    ['new', 'triaged', 'triage'],
    ['new', 'rejected', 'reject'],
    ['new', 'duplicate', 'mark_duplicate'],
    ['triaged', 'in_progress', 'start'],
    ['triaged', 'rejected', 'reject'],
    ['triaged', 'duplicate', 'mark_duplicate'],
    ['in_progress', 'resolved', 'resolve'],
    ['resolved', 'closed', 'close'],
    ['resolved', 'in_progress', 'reopen'],
    ['closed', 'in_progress', 'reopen'],
  ];

  test('has these ways and no others', () => {
    const among = IssueStatus.options.flatMap((from) =>
      IssueStatus.options.flatMap((to) => {
        const move = moveBetween(from, to);
        return move ? [[from, to, move]] : [];
      }),
    );
    expect(among).toHaveLength(WAYS.length);
    expect(among).toEqual(expect.arrayContaining(WAYS));
    const all = issueTransitions().flatMap(({ step, from, to }) => from.map((each) => [each, ...to, step]));
    expect(all).toHaveLength(WAYS.length);
    expect(all).toEqual(expect.arrayContaining(WAYS));
    for (const status of IssueStatus.options)
      expect(new Set(reachableFrom(status))).toEqual(
        new Set(WAYS.flatMap(([from, to]) => (from === status ? [to] : []))),
      );
  });

  test.each<[IssueMove, object, boolean]>([
    ['triage', { status: 'triaged' }, false],
    ['start', { status: 'in_progress' }, false],
    ['resolve', { status: 'resolved', resolved_at: NOW }, false],
    ['close', { status: 'closed', closed_at: NOW }, false],
    ['reject', { status: 'rejected' }, false],
    ['mark_duplicate', { status: 'duplicate' }, false],
    ['reopen', { status: 'in_progress', resolved_at: null, closed_at: null }, true],
  ])('%s changes %j', (move, changes, isExplained) => {
    const fields = { status: 'new', triaged_at: null, resolved_at: null, closed_at: null } as const;
    expect(moveFields(move, fields, NOW)).toEqual({ ...changes, triaged_at: NOW });
    expect(moveFields(move, { ...fields, triaged_at: BEFORE }, NOW)).toEqual({
      ...changes,
      triaged_at: BEFORE,
    });
    expect(needsNote(move)).toBe(isExplained);
  });

  test('says in which statuses somebody has to do something, and when that is late', () => {
    expect(IssueStatus.options.filter(isIssueOpen)).toEqual(['new', 'triaged', 'in_progress']);
    const late = (status: IssueStatus, due_at: string | null) => isIssueOverdue({ status, due_at }, NOW);
    expect([
      late('new', BEFORE),
      late('new', NOW),
      late('new', AFTER),
      late('new', null),
      late('resolved', BEFORE),
    ]).toEqual([true, false, false, false, false]);
  });

  test('an issue is due some hours after it was reported', () => {
    expect(dueWithin(NOW, 25)).toBe('2027-03-15T11:00:00.000Z');
    expect(dueWithin(NOW, null)).toBeNull();
  });
});

describe('a public link', () => {
  const open = {
    revoked_at: null,
    expires_at: null,
    max_submissions: null,
    submissions_count: 0,
    paused_at: null,
  };

  test.each<[string, object, string]>([
    ['nothing stops it', {}, 'active'],
    ['it ends later', { expires_at: AFTER, max_submissions: 1 }, 'active'],
    ['it is paused', { paused_at: BEFORE }, 'paused'],
    ['it is used up', { max_submissions: 1, submissions_count: 1, paused_at: BEFORE }, 'exhausted'],
    ['it has ended', { expires_at: NOW, max_submissions: 0, paused_at: BEFORE }, 'expired'],
    [
      'it was revoked',
      { revoked_at: BEFORE, expires_at: BEFORE, max_submissions: 0, paused_at: BEFORE },
      'revoked',
    ],
  ])('has the status of what cannot be undone: %s', (_, state, status) => {
    expect(linkStatus({ ...open, ...state }, NOW)).toBe(status);
  });

  test('may require a way to reach whoever reports', () => {
    const missing = [{ loc: ['body', 'reporter', 'email'], msg: 'Field required', type: 'missing' }];
    const of = (reporter: object) => contactProblems('required', { ...NO_REPORTER, ...reporter });
    expect([of({}), of({ name: 'Ada' }), of({ email: ' ', phone: ' ' })]).toEqual([
      missing,
      missing,
      missing,
    ]);
    expect([of({ email: 'a@example.com' }), of({ phone: '123' })]).toEqual([[], []]);
    expect(contactProblems('optional', NO_REPORTER)).toEqual([]);
    expect(NO_REPORTER).toEqual({ name: null, email: null, phone: null });
  });
});

const question = (
  n: number,
  type: IssueQuestion['type'],
  more: Partial<IssueQuestion> = {},
): IssueQuestion => ({
  id: uuid(n),
  type,
  label: `Question ${n}`,
  required: false,
  options: null,
  ...more,
});
const OPTIONS = ['a', 'b'].map((value) => ({ value, label: value.toUpperCase() }));
const problem = (loc: string, msg: string, type = 'value_error') => ({
  loc: loc.split('.'),
  msg: type === 'value_error' ? `Value error, ${msg}` : msg,
  type,
});

describe('the questions of a category', () => {
  const translation = (language: string, questions: object[]) => ({
    language,
    name: null,
    description: null,
    questions,
  });
  const of = (questions: IssueQuestion[], translations: object[] = []) =>
    categoryProblems({ questions, translations: translations as never });

  test('are those of a field of a template', () => {
    expect(of([question(1, 'text'), question(2, 'single_select', { options: OPTIONS })])).toEqual([]);
    expect(
      of([question(1, 'text', { options: OPTIONS }), question(2, 'text'), question(2, 'text')]).map(
        ({ loc }) => loc.join('.'),
      ),
    ).toEqual(['body.questions.2.id', 'body.questions.0.options']);
  });

  test('are translated as they are, once into each language', () => {
    const asked = [question(1, 'single_select', { options: OPTIONS }), question(2, 'text')];
    const options = [{ value: 'a', label: 'Ah' }];
    expect(
      of(asked, [
        translation('de', [
          { id: uuid(1), label: null, options },
          { id: uuid(2), options: [] },
        ]),
      ]),
    ).toEqual([]);
    expect(
      of(asked, [
        translation('de', []),
        translation('fr', [
          { id: uuid(9), options },
          { id: uuid(2), options },
          { id: uuid(1), options: [...options, { value: 'x', label: 'X' }] },
        ]),
        translation('de', []),
      ]),
    ).toEqual([
      problem('body.translations.2.language', '"de" is used more than once'),
      problem('body.translations.1.questions.0.id', 'the category has no question with this id'),
      problem('body.translations.1.questions.1.options.0.value', '"a" is not an option of this question'),
      problem('body.translations.1.questions.2.options.1.value', '"x" is not an option of this question'),
    ]);
  });
});

describe('the answers of an issue', () => {
  const asked = [
    question(1, 'text', { required: true }),
    question(2, 'number'),
    question(3, 'photo'),
    question(4, 'yes_no', { required: true }),
  ];
  const answers = (...given: [n: number, value?: unknown][]) =>
    given.map(([n, value]) => ({ question_id: uuid(n), ...(value !== undefined && { value }) }));
  const of = (...given: [n: number, value?: unknown][]) =>
    checkAnswers(
      asked,
      answers(...given),
      (id) => ({ [uuid(50)]: 'image/png', [uuid(51)]: 'text/plain' })[id],
    );
  const photo = (n: number) => [{ document_id: uuid(n), caption: '' }];

  test('are kept in the order of the questions, without those that say nothing', () => {
    expect(of([4, false], [3, photo(50)], [2, null], [1, 'x'])).toEqual({
      checked: [
        { question_id: uuid(1), label: 'Question 1', value: 'x' },
        { question_id: uuid(3), label: 'Question 3', value: photo(50) },
        { question_id: uuid(4), label: 'Question 4', value: false },
      ],
      problems: [],
    });
  });

  test('are refused with every problem', () => {
    expect(of([1, 'x'], [2, 'many'], [9, 1], [4, true], [4, true]).problems).toEqual([
      problem('body.answers.4.question_id', `"${uuid(4)}" is used more than once`),
      expect.objectContaining({ loc: ['body', 'answers', '1', 'value'] }),
      problem('body.answers.2.question_id', 'the category has no question with this id'),
    ]);
    for (const [n, type] of [
      [51, 'value_error'],
      [52, 'value_error'],
    ] as const) {
      const { checked, problems } = of([1, 'x'], [3, photo(n)], [4, true]);
      expect(problems).toMatchObject([{ loc: ['body', 'answers', '1', 'value', '0', 'document_id'], type }]);
      expect(checked.map(({ question_id }) => question_id)).toEqual([uuid(1), uuid(4)]);
    }
  });

  test('are required where the question is, once it is not answered wrongly', () => {
    const missing = (n: number) => problem('body.answers', `"Question ${n}" needs an answer`, 'missing');
    expect(of().problems).toEqual([missing(1), missing(4)]);
    expect(of([1, ''], [4]).problems).toEqual([missing(1), missing(4)]);
    expect(of([1, 5], [4, true]).problems).toMatchObject([{ loc: ['body', 'answers', '0', 'value'] }]);
  });
});

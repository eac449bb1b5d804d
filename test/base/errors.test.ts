import type { ErrorKind } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';

const kinds: [name: string, kind: ErrorKind][] = Object.entries(errors);

/** The statuses of failures that the contract has ("Errors"). */
const STATUSES = [400, 401, 403, 404, 409, 422, 429, 500, 503];

describe('the catalogue of errors', () => {
  test('has a code for each error, and no code twice', () => {
    const codes = kinds.map(([, { code }]) => code);
    expect(codes.filter((code) => !/^[a-z]+(_[a-z0-9]+)*$/.test(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test.each(kinds)(
    '%s has a status of the contract, and says when it is answered and what the client can do',
    (_, { status, meaning }) => {
      expect(STATUSES).toContain(status);
      expect(meaning).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
    },
  );
});

/** An argument of any error's text: a text, a number and a list of texts in one. */
const anything = Object.assign(Object('<name>') as string, {
  join: () => '<name>',
  slice: () => ['<name>'],
  map: () => ['<name>'],
});

describe('the text of every error', () => {
  const FIXED = [errors.rowLevelSecurity, errors.rateLimitExceeded, errors.internalError] as unknown[];
  const texts = (Object.entries(errors) as [string, (...args: unknown[]) => { detail: unknown }][])
    .filter(([, error]) => !FIXED.includes(error) && (error as unknown as ErrorKind).status !== 422)
    .map(([name, error]) => [name, error(anything, anything, anything).detail] as const);

  test.each(texts)('%s is a sentence', (_, text) => {
    expect(text).toMatch(/^.*\w{4}.*[.>]$/);
    expect(text).not.toMatch(/undefined|null|\[object|NaN(?! MB)/);
  });
});

describe('the texts that the contract fixes', () => {
  test.each([
    [errors.rowLevelSecurity(), 403, 'forbidden by row-level security'],
    [errors.rateLimitExceeded(), 429, 'rate limit exceeded'],
    [errors.internalError(), 500, 'internal server error'],
  ])('%s', ({ status, detail }, fixedStatus, fixedDetail) => {
    expect([status, detail]).toEqual([fixedStatus, fixedDetail]);
  });
});

describe('inspectionBlocked', () => {
  test('names ten blockers and counts the others', () => {
    const blockers = Array.from({ length: 12 }, (_, i) => `b${i}`);
    const text = (count: number) => errors.inspectionBlocked('in_progress', blockers.slice(0, count)).detail;
    expect(text(1)).toBe('The inspection is in_progress with 1 blocker: b0');
    expect(text(10)).toMatch(/with 10 blockers: .*b9$/);
    expect(text(12)).toMatch(/with 12 blockers: .*b9; and 2 more$/);
  });
});

describe('texts that depend on what they are about', () => {
  const texts: [string, string][] = [
    [errors.wrongContentType('a/b').detail, 'The content type must be a/b.'],
    [errors.wrongContentType('a/b', 'c/d').detail, 'The content type must be a/b or c/d.'],
    [errors.referenceNotFound('x').detail, 'x does not exist.'],
    [errors.referenceNotFound('x', 'y').detail, 'x, y do not exist.'],
    [errors.settingNotForKeys('x', 'y').detail, 'An API key may not change x, y.'],
    [errors.inspectionStatus('archived').detail, 'The inspection is archived.'],
    [errors.inspectionStatus('archived', 'not open').detail, 'The inspection is archived, not open.'],
    [errors.noStepForward('completed').detail, 'The inspection is completed.'],
    [
      errors.noStepForward('pending_sign_off', 'a signature').detail,
      'The inspection is pending_sign_off and awaits a signature.',
    ],
    [
      errors.partNotSubmitted('in_progress', undefined).detail,
      'The inspection is in_progress, and you take no part in it.',
    ],
    [
      errors.partNotSubmitted('in_progress', 'started').detail,
      'The inspection is in_progress, and your part is started, not submitted.',
    ],
    [
      errors.inspectionBlocked('in_progress', ['a', 'b']).detail,
      'The inspection is in_progress with 2 blockers: a; b',
    ],
    [
      errors.previewTooLarge('report', 2_500_000, 2_000_000).detail,
      'The report has 2.5 MB; the maximum is 2.0 MB.',
    ],
  ];
  test.each(texts)('%s', (text, expected) => expect(text).toBe(expected));

  test('an error keeps what caused it, for the log, and its text in its message', () => {
    const cause = new Error('throttled');
    const error = errors.unavailable('The table', cause);
    expect([error.cause, error.name, error.message]).toEqual([cause, 'ApiError', error.detail]);
    const problem = { loc: ['body'], type: 'missing' as const, msg: 'Field required' };
    expect(errors.validationFailed([problem, problem]).message).toBe('2 validation problem(s)');
  });
});

describe('validationFailed', () => {
  test('lists a few problems as they are', () => {
    const problems = ['a', 'b'].map((name) => ({
      loc: ['body', name],
      type: 'missing' as const,
      msg: 'Field required',
    }));
    expect(errors.validationFailed(problems).detail).toEqual(problems);
  });

  test('lists as many problems as a reply holds, and counts the others', () => {
    const problem = { loc: ['body', 'name'], type: 'value_error' as const, msg: 'x'.repeat(1_000) };
    const { detail } = errors.validationFailed(Array.from({ length: 10_000 }, () => problem));
    expect(Buffer.byteLength(JSON.stringify(detail))).toBeLessThan(4_100_000);
    expect(detail.at(-1)).toEqual({
      loc: ['body'],
      type: 'value_error',
      msg: `Value error, ${10_000 - detail.length + 1} more problems are not listed`,
    });
  });
});

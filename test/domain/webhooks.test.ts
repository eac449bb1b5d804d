import {
  type Health,
  healthAfter,
  isNamed,
  isSubscribed,
  probeWait,
  reasonToDisable,
  retryWait,
} from '../../shared/domain/webhooks.ts';

const NOW = Date.parse('2026-11-23T09:00:00.000Z');
const DAY_MS = 86_400_000;
const at = (before: number): string => new Date(NOW - before).toISOString();

const WORKING: Health = {
  failures: 0,
  failing_since: null,
  last_success_at: null,
  last_failure: null,
  probe_at: null,
};
const success = { at: at(0), status_code: 200, error: null };
const failure = { at: at(0), status_code: 500, error: 'The endpoint answered 500.' };

afterEach(() => void jest.restoreAllMocks());

describe('the waits of a webhook', () => {
  const SECONDS = [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400];

  test.each([
    ['shortest', 0, 1],
    ['longest', 0.999_999, 1.2],
  ])('are at %s the documented ones, or a fifth more', (_, random, share) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const waits = [...SECONDS, 0].map((_seconds, position) => retryWait(position + 1));
    const wanted = SECONDS.map((seconds) => seconds * 1_000 * share);
    expect(waits.slice(0, -1).map((wait) => Math.round(wait! / 100))).toEqual(
      wanted.map((wait) => Math.round(wait / 100)),
    );
    expect(waits.at(-1)).toBeUndefined();
  });

  test('of its probes grow to five minutes and no further', () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    expect([1, 2, 3, 4, 8, 9, 500].map(probeWait)).toEqual([
      5_000, 60_000, 300_000, 300_000, 300_000, 300_000, 300_000,
    ]);
  });
});

describe('an endpoint', () => {
  test.each([
    [3 * DAY_MS - 1, undefined],
    [3 * DAY_MS, 'failing'],
  ])('that has failed for %d ms is disabled as %s', (failingFor, reason) => {
    const health = { ...WORKING, failing_since: at(failingFor) };
    expect(reasonToDisable(health, [failure], NOW)).toBe(reason);
  });

  test.each([
    [404, undefined],
    [409, undefined],
    [410, 'gone'],
    [411, undefined],
  ])('that answers %d is disabled as %s', (status_code, reason) => {
    expect(reasonToDisable(WORKING, [success, { ...failure, status_code }], NOW)).toBe(reason);
  });

  test('works when one of several attempts at once succeeds, and fails from the first failure on', () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const last_failure = { at: at(0), status_code: 500, message: failure.error };
    const failing = healthAfter({ ...WORKING, last_success_at: at(DAY_MS) }, [failure, failure], NOW);
    expect(failing).toEqual({
      failures: 1,
      failing_since: at(0),
      last_success_at: at(DAY_MS),
      last_failure,
      probe_at: at(-5_000),
    });
    const later = { ...failure, at: at(-60_000) };
    expect(healthAfter(failing, [later], NOW + 60_000)).toMatchObject({
      failures: 2,
      failing_since: at(0),
      probe_at: at(-120_000),
    });
    expect(healthAfter(failing, [failure, success, failure], NOW)).toEqual({
      ...WORKING,
      last_success_at: at(0),
      last_failure,
    });
    expect(healthAfter(failing, [], NOW)).toBe(failing);
  });

  test.each([
    [['*'], true],
    [['inspection.*'], true],
    [['inspection.completed'], true],
    [['issue.*', 'inspection.completed'], true],
    [['inspection'], false],
    [['inspection.complete'], false],
    [['inspection.completed.*'], false],
    [['inspe.*'], false],
    [[], false],
  ])('that subscribes to %j gets inspection.completed: %s', (types, expected) => {
    expect(isSubscribed(types, 'inspection.completed')).toBe(expected);
  });

  test('never gets a duplicate of an inspection, which the list of events alone has', () => {
    expect(isSubscribed(['*', 'inspection.*', 'inspection.duplicated'], 'inspection.duplicated')).toBe(false);
    expect(isNamed(['inspection.*'], 'inspection.duplicated')).toBe(true);
  });
});

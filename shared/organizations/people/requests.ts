import { isAllowed, isUsedUp, periodOf } from '../../table/allowance.ts';
import { keys } from '../../table/keys.ts';

const MINUTE_MS = 60_000;

/** What a person may ask for in a clock minute, with all sessions and in all organizations together. */
export const MAX_REQUESTS = 300;
/** Of these, the requests that may change something. */
export const MAX_CHANGES = 60;

/**
 * Counts a request of a person who has signed in. One call, or two for a change; none once the minute is used up.
 * @param person see `personOf`
 * @param now epoch milliseconds
 * @returns whether it may be answered
 */
export const countRequest = async (person: string, isChange: boolean, now: number): Promise<boolean> => {
  const { period, until } = periodOf(now, MINUTE_MS);
  const allowance = (what: string, most: number) => ({
    key: keys.visits(what, 'person', person, period),
    most,
    until,
  });
  const allowances = [
    allowance('appRequest', MAX_REQUESTS),
    ...(isChange ? [allowance('appChange', MAX_CHANGES)] : []),
  ];
  if (allowances.some(isUsedUp)) return false;
  return (await Promise.all(allowances.map(isAllowed))).every(Boolean);
};

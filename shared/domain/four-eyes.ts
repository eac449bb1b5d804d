import { type Caller, isKey, isPerson } from '../base/caller.ts';
import * as errors from '../base/errors.ts';

/*
 * Four eyes: whoever has worked on something does not approve it. An API key and the person who made it are one side,
 * because that person can use the key. A key that the platform team made has no maker.
 */

/** Who has worked on something, as `user <id>`, `key <id>` and `maker <id>`, the person who made such a key. */
export type Workers = ReadonlySet<string>;

const NOBODY: Workers = new Set();

/** The key of a request, whether it acts for itself or for a member. */
const keyIdOf = (caller: Caller): string | undefined =>
  isKey(caller) ? caller.key_id : caller.acted_via_key_id;

/** Who works when a caller does. Nobody for the service and for somebody who has opened a public link. */
export const workersOf = (caller: Caller): Workers => {
  const { user_id, key_maker } = caller;
  const keyId = keyIdOf(caller);
  return new Set([
    ...(user_id === '' ? [] : [`user ${user_id}`]),
    ...(keyId === undefined ? [] : [`key ${keyId}`]),
    ...(key_maker === undefined ? [] : [`maker ${key_maker}`]),
  ]);
};

/** These workers and the caller; undefined for nobody, because the table stores no empty set. */
export const withWorker = (workers: Workers | undefined, caller: Caller): Workers | undefined => {
  const all = (workers ?? NOBODY).union(workersOf(caller));
  return all.size > 0 ? all : undefined;
};

/** Whether a member, or a key that this member has made, is among the workers. */
export const hasWorked = (userId: string, workers: Workers = NOBODY): boolean =>
  workers.has(`user ${userId}`) || workers.has(`maker ${userId}`);

/**
 * Checks that a caller has not worked on something, neither directly nor through a key, nor a key that carries the
 * request or its maker.
 * @param noun what it is, such as `inspection`
 * @param ownWork the error for somebody who has worked on it
 * @throws ApiError 403
 */
export const expectOtherSide = (
  caller: Caller,
  workers: Workers = NOBODY,
  noun: string,
  ownWork: () => Error = () => errors.ownWork(noun),
): void => {
  const { user_id, key_maker } = caller;
  const keyId = keyIdOf(caller);
  if (workers.has(`user ${user_id}`)) throw ownWork();
  if (keyId !== undefined && workers.has(`key ${keyId}`)) throw errors.workOfKey(noun);
  if (workers.has(`maker ${user_id}`)) throw errors.workOfOwnKey(noun);
  if (key_maker !== undefined && hasWorked(key_maker, workers)) throw errors.workOfKeyMaker(noun);
};

/** Whether the caller is a person who has signed in, and no key carries the request. */
export const isSignedIn = (caller: Caller): boolean => isPerson(caller) && keyIdOf(caller) === undefined;

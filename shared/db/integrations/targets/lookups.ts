import type { Caller } from '../../../base/caller.ts';
import { fold } from '../../../base/text.ts';
import { keys } from '../../table/keys.ts';
import { queryRows } from '../../table/rows.ts';
import type { Lookups } from './target.ts';

/** Calls `make` once, when it is first needed. */
const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
};

const readClients = async (caller: Caller) => {
  const byRef = new Map<string, string>();
  const byName = new Map<string, string | null>();
  for await (const { sk, name, external_ref } of queryRows(caller, {
    partition: keys.all(caller, 'CLIENT'),
    only: ['name', 'external_ref'],
  })) {
    if (external_ref) byRef.set(external_ref, sk);
    const folded = fold(name);
    byName.set(folded, byName.has(folded) ? null : sk);
  }
  return { byRef, byName };
};

const readMembers = async (caller: Caller): Promise<Map<string, string>> => {
  const byEmail = new Map<string, string>();
  for await (const { user_id, email, status, role } of queryRows(caller, {
    partition: keys.all(caller, 'MEMBER'),
  })) {
    if (email && role !== 'api' && status === 'active') byEmail.set(fold(email), user_id);
  }
  return byEmail;
};

/** The active members by their folded email addresses. One call per megabyte. */
export const membersByEmail = readMembers;

/** What rows may name, read when it is first needed, and for one turn of the worker. */
export const newLookups = (caller: Caller): Lookups => {
  const clients = once(() => readClients(caller));
  const members = once(() => readMembers(caller));
  return {
    clientAccount: async (named) => {
      const { byRef, byName } = await clients();
      const id = byRef.get(named) ?? byName.get(fold(named));
      if (id === null) return 'ambiguous';
      return id === undefined ? 'unknown' : { id };
    },
    member: async (email) => (await members()).get(fold(email)),
  };
};

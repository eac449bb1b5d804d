import type { Caller } from '../base/caller.ts';
import type { Sent } from '../domain/issue-form/fields.ts';
import type { Stamp } from '../domain/issue-form/stamp.ts';
import { getObject, pendingKey, putObject } from '../storage/objects.ts';

const keyOf = (caller: Caller, { nonce }: Stamp): string => pendingKey(caller, 'issue-forms', nonce);

/** Keeps what was entered while photos are added without a program: two days, as all that is pending. */
export const keepDraft = (caller: Caller, stamp: Stamp, sent: Sent): Promise<void> =>
  putObject(caller, keyOf(caller, stamp), Buffer.from(JSON.stringify(sent)), 'application/json');

/** What was entered; nothing when it was not kept, or is gone. */
export const readDraft = async (caller: Caller, stamp: Stamp): Promise<Sent> => {
  const bytes = await getObject(caller, keyOf(caller, stamp));
  return bytes ? (JSON.parse(Buffer.from(bytes).toString()) as Sent) : {};
};

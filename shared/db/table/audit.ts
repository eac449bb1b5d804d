import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { keys } from './keys.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** What an organization's access was changed by; never deleted, and read by whoever has to answer for it. */
export type AuditedAction = 'organization.created' | 'member.added' | 'key.created' | 'key.revoked';

/** The record of who changed access to an organization and when, part of the change's own transaction. */
export const audit = (caller: Caller, action: AuditedAction, targetId: string): Write => {
  const id = uuidv7();
  return write.create({
    ...keys.audit(caller, id),
    id,
    action,
    target_id: targetId,
    actor_id: caller.user_id,
    at: new Date().toISOString(),
  });
};

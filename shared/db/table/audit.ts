import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { AuditedAction } from './entities.ts';
import { keys } from './keys.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** Records who changed access to an organization, and when, in the transaction of the change. */
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

import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { AuditedAction, AuditRecord } from './entities.ts';
import { keys } from './keys.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/**
 * Records who changed an organization's access or settings, and when, in the transaction of the change.
 * @param changes the settings that it gives another value
 */
export const audit = (
  caller: Caller,
  action: AuditedAction,
  targetId: string,
  changes?: AuditRecord['changes'],
): Write => {
  const id = uuidv7();
  return write.create({
    ...keys.audit(caller, id),
    id,
    action,
    target_id: targetId,
    actor_id: caller.user_id,
    at: new Date().toISOString(),
    ...(changes && { changes }),
  });
};

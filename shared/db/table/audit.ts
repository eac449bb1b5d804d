import { v7 as uuidv7 } from 'uuid';
import { type Caller, isKey, isPerson, viaKey } from '../../base/caller.ts';
import type { ActorKind, AuditedAction } from '../../schemas/audit.ts';
import type { AuditRecord } from './entities.ts';
import { keys } from './keys.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** How long a record is kept, in days. */
const MAX_KEPT_DAYS = 400;

const DAY_SECONDS = 86_400;

const kindOf = (caller: Caller): ActorKind => {
  if (isPerson(caller)) return 'person';
  return isKey(caller) ? 'api_key' : 'operator';
};

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
  const now = Date.now();
  return write.create({
    ...keys.audit(caller, id),
    id,
    action,
    target_id: targetId,
    actor_id: caller.user_id,
    actor_name: caller.name,
    actor_kind: kindOf(caller),
    ...viaKey(caller),
    at: new Date(now).toISOString(),
    ttl: Math.ceil(now / 1_000) + MAX_KEPT_DAYS * DAY_SECONDS,
    ...(changes && { changes }),
  });
};

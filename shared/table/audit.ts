import { v7 as uuidv7 } from 'uuid';
import { type Caller, isKey, isPerson, viaKey } from '../base/caller.ts';
import { keptFrom } from '../base/time.ts';
import type { ActorKind, AuditedAction } from '../schemas/audit.ts';
import type { Work } from './change.ts';
import type { AuditRecord } from './entities/organization.ts';
import { keys } from './keys.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** How long a record is kept, in seconds: 400 days. */
const KEPT_SECONDS = 400 * 86_400;

const kindOf = (caller: Caller): ActorKind => {
  if (isPerson(caller)) return 'person';
  return isKey(caller) ? 'api_key' : 'operator';
};

/**
 * Records who changed an organization's access or settings, and when, in the transaction of the change.
 * @param changes the settings that it gives another value
 */
export const audit = (
  work: Work,
  action: AuditedAction,
  targetId: string,
  changes?: AuditRecord['changes'],
): Write => {
  const id = uuidv7();
  return write.create({
    ...keys.audit(work, id),
    id,
    action,
    target_id: targetId,
    actor_id: work.user_id,
    actor_name: work.name,
    actor_kind: kindOf(work),
    ...viaKey(work),
    at: work.now,
    ttl: keptFrom(work.now, KEPT_SECONDS),
    ...(changes && { changes }),
  });
};

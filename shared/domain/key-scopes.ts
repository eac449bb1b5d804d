import { type Caller, isKey } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { KeyArea, KeyScope } from '../schemas/api-key.ts';
import { EVENT_TYPES, type EventGroup } from '../schemas/event-data.ts';
import type { DeliveredType } from '../schemas/webhook.ts';
import { isSubscribed } from './webhooks.ts';

/**
 * The scope that an operation of `/v1` needs: how its path begins, and whether it writes.
 * @param path such as `/inspections/{inspection_id}`
 * @returns undefined for what every key may use: what is about the caller itself
 */
export const scopeFor = ({
  path,
  access,
}: {
  path: string;
  access: 'read' | 'write' | 'person';
}): KeyScope | undefined => {
  const area = path.split('/')[1];
  if (area === 'me') return undefined;
  return `${area}:${access === 'write' ? 'write' : 'read'}` as KeyScope;
};

/** Whether one of a key's scopes includes another one: `issues:write` includes `issues:read`. */
export const allows = (scopes: readonly string[], needed: KeyScope): boolean =>
  scopes.includes(needed) || scopes.includes(needed.replace(/:read$/, ':write'));

/** Whether the caller may do what a scope stands for. Only a key with scopes may not do everything. */
const hasScope = (caller: Caller, scope: KeyScope | undefined): boolean =>
  !isKey(caller) || !caller.scopes || scope === undefined || allows(caller.scopes, scope);

/** @throws ApiError 403 for a key with scopes that do not include this one */
export const expectScope = (caller: Caller, scope: KeyScope | undefined): void => {
  if (!hasScope(caller, scope)) throw errors.apiKeyScope(scope!);
};

/** The area whose GET shows what the events of a kind of resource are about. */
const AREA_OF: Readonly<Record<EventGroup, KeyArea>> = {
  client_account: 'client-accounts',
  region: 'regions',
  location: 'locations',
  asset: 'assets',
  certificate: 'certificates',
  document: 'documents',
  member: 'members',
  template: 'templates',
  inspection: 'inspections',
  finding: 'findings',
  corrective_action: 'corrective-actions',
  bulk_change: 'bulk-changes',
  report: 'reports',
  connection: 'integrations',
  source: 'integrations',
  sync: 'integrations',
  directory: 'integrations',
  issue: 'issues',
  schedule: 'inspection-schedules',
};

/**
 * The scope that a key needs to see the data of an event: the one by which it reads the resource itself.
 * @returns undefined for the test of a webhook, which tells nothing
 */
export const scopeForEvent = (type: DeliveredType): KeyScope | undefined =>
  type === 'webhook.test' ? undefined : `${AREA_OF[type.split('.')[0] as EventGroup]}:read`;

/** Whether the caller sees the data of events of a type. */
export const seesEvent = (caller: Caller, type: DeliveredType): boolean =>
  hasScope(caller, scopeForEvent(type));

/**
 * Checks that a caller may have events sent to an address, because whoever chooses the address reads them.
 * @param types as an endpoint subscribes to them
 * @throws ApiError 403 naming a scope that the key lacks
 */
export const expectSeesEvents = (caller: Caller, types: readonly string[]): void => {
  for (const type of EVENT_TYPES) if (isSubscribed(types, type)) expectScope(caller, scopeForEvent(type));
};

import { defineError } from '../api-error.ts';

/* Integrations. */

export const vendorIdUnknown = defineError(
  400,
  'vendor_id_unknown',
  'The vendor has nothing with an id that the request names, or does not show it to this connection. Name one that the connection lists.',
  (field: string) => `The vendor has nothing with this ${field}.`,
);

export const connectionRefused = defineError(
  409,
  'connection_refused',
  'The vendor refuses the credential of the connection. Replace it, then try again.',
  () => 'The vendor refuses the credential of the connection. Replace it, then try again.',
);

export const connectionDeleted = defineError(
  409,
  'connection_deleted',
  'The connection of the source was deleted. Create another connection and source.',
  () => 'The connection of the source was deleted, so the source cannot be synced any more.',
);

export const vendorRefused = defineError(
  409,
  'vendor_refused',
  'The vendor refuses the request for a reason that lasts. Solve that at the vendor; `detail` has its code.',
  (code: string) => `The vendor refuses the request (${code}).`,
);

export const tooManyConnections = defineError(
  409,
  'too_many_connections',
  'The organization has as many connections as it can have. Delete one first.',
  (most: number) => `The organization already has ${most} connections, the maximum.`,
);

export const tooManySources = defineError(
  409,
  'too_many_sources',
  'The connection has as many sources as it can have. Delete one first.',
  (most: number) => `The connection already has ${most} sources, the maximum.`,
);

export const sourcePaused = defineError(
  409,
  'source_paused',
  'The source is paused. Set its `status` to `active` first.',
  () => 'The source is paused. Set its status to active first.',
);

export const syncRunning = defineError(
  409,
  'sync_running',
  'A sync of the source has not ended yet. Wait until it has.',
  (id: string) => `The sync ${id} of the source is still running.`,
);

export const syncHeld = defineError(
  409,
  'sync_held',
  'Another worker does this sync. Wait until it has ended.',
  (id: string) => `Another worker does the sync ${id}.`,
);

export const sourceChanged = defineError(
  409,
  'source_changed',
  'The source was changed, paused or deleted while it was synced. Sync it again.',
  () => 'The source was changed while it was synced.',
);

export const fieldsSynced = defineError(
  409,
  'fields_synced',
  'The request changes fields that come from another system. Change them there.',
  (noun: string, fields: readonly string[]) =>
    `These fields of the ${noun} are synced from another system: ${fields.join(', ')}. Change them there.`,
);

export const clientAccountSynced = defineError(
  409,
  'client_account_synced',
  'The client account comes from another system. Delete it there.',
  () => 'The client account is synced from another system. Delete it there.',
);

/* Webhooks. */

export const tooManyWebhooks = defineError(
  409,
  'too_many_webhooks',
  'The organization has as many webhooks as it can have. Delete one first.',
  (most: number) => `The organization already has ${most} webhooks, the maximum.`,
);

export const webhookDisabled = defineError(
  409,
  'webhook_disabled',
  'The webhook is disabled, so nothing is sent to it. Set its `status` to `active` first.',
  () => 'The webhook is disabled. Set its status to active first.',
);

export const replayRunning = defineError(
  409,
  'replay_running',
  'A replay of the webhook is not completed yet. Wait until it is.',
  (id: string) => `The replay ${id} of the webhook is still running.`,
);

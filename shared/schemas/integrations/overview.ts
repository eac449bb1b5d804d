import * as z from 'zod';
import { Count, Instant, listQuery, Timestamp, Uuid } from '../common.ts';
import { Connection } from './connection.ts';
import { TargetRef } from './source.ts';
import { Capability, Level, VendorAuth, VendorId } from './vendor.ts';

export const CatalogEntry = z
  .strictObject({
    vendor: VendorId,
    name: z.string(),
    auth: VendorAuth,
    capabilities: z.array(Capability),
    levels: z.array(Level),
    targets: z.array(TargetRef),
  })
  .meta({ id: 'CatalogEntry', description: 'A system that can be connected.' });
export type CatalogEntry = z.output<typeof CatalogEntry>;

export const IntegrationStatus = z
  .strictObject({
    vendor: VendorId,
    status: z.enum(['connected', 'degraded', 'disconnected']).meta({
      description:
        '`degraded`: a connection or a source has a problem. `disconnected`: there is no connection that works.',
    }),
    connections: z.array(
      z.strictObject({
        id: Uuid,
        title: z.string(),
        status: Connection.shape.status,
        last_verified_at: Connection.shape.last_verified_at,
        last_error: Connection.shape.last_error,
      }),
    ),
    sources: z.strictObject({ active: Count, paused: Count, error: Count }),
    last_sync_at: Timestamp.nullable(),
    next_sync_at: Timestamp.nullable(),
  })
  .meta({ id: 'IntegrationStatus' });
export type IntegrationStatus = z.output<typeof IntegrationStatus>;

export const IntegrationActivityKind = z.enum([
  'connection.created',
  'connection.verified',
  'connection.failed',
  'connection.rotated',
  'connection.deleted',
  'source.created',
  'source.updated',
  'source.deleted',
  'sync.started',
  'sync.finished',
]);
export type IntegrationActivityKind = z.output<typeof IntegrationActivityKind>;

export const IntegrationActivity = z
  .strictObject({
    id: Uuid,
    at: Timestamp,
    kind: IntegrationActivityKind,
    connection_id: Uuid.nullable(),
    source_id: Uuid.nullable(),
    run_id: Uuid.nullable(),
    actor_id: Uuid.nullable().meta({ description: 'Null for the service itself.' }),
    message: z.string(),
  })
  .meta({
    id: 'IntegrationActivity',
    description: 'What happened to the connections and sources of a vendor.',
  });
export type IntegrationActivity = z.output<typeof IntegrationActivity>;

export const activityQuery = listQuery({
  since: Instant.optional().meta({ description: 'Only what happened at or after this time.' }),
  kind: z
    .array(IntegrationActivityKind)
    .max(10)
    .optional()
    .meta({ description: 'Only entries of these kinds. The parameter can be repeated.' }),
});
export type ActivityQuery = z.output<typeof activityQuery>;

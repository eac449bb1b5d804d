import * as z from 'zod';
import { ActedViaKeyId, Instant, listQuery, Timestamp, Uuid } from './common.ts';

/** The recorded changes of an organization's access and settings, and what the platform team did with dead letters. */
export const AuditedAction = z.enum([
  'organization.created',
  'organization.updated',
  'organization.suspended',
  'organization.resumed',
  'organization.owner_named',
  'organization.owner_accepted',
  'organization.owner_declined',
  'organization.owner_withdrawn',
  'member.added',
  'member.invited',
  'member.invitation_sent',
  'member.joined',
  'member.declined',
  'member.left',
  'member.acting_allowed',
  'member.acting_withdrawn',
  'member.updated',
  'member.suspended',
  'member.activated',
  'member.removed',
  'key.created',
  'key.updated',
  'key.rotated',
  'key.revoked',
  'family.created',
  'family.updated',
  'share_link.created',
  'share_link.revoked',
  'mail_question.ended',
  'signature_link.created',
  'signature_link.revoked',
  'connection.created',
  'connection.rotated',
  'connection.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.disabled',
  'webhook.rotated',
  'webhook.tested',
  'webhook.replayed',
  'webhook.deleted',
  'public_link.created',
  'public_link.updated',
  'public_link.revoked',
  'certificate.suspended',
  'certificate.reinstated',
  'certificate.revoked',
  'certificate.shared',
  'certificate.unshared',
  'client_account.deleted',
  'client_account.erased',
  'dead_letter.redriven',
  'dead_letter.dropped',
]);
export type AuditedAction = z.output<typeof AuditedAction>;

/** The kind of actor: a signed-in person, an API key, or `operator` for the platform team and the service itself. */
export const ActorKind = z.enum(['person', 'api_key', 'operator']);
export type ActorKind = z.output<typeof ActorKind>;

export const AuditEntry = z
  .strictObject({
    id: Uuid,
    at: Timestamp,
    action: AuditedAction,
    actor: z
      .strictObject({
        id: z.string().meta({ description: 'A user id; `operator` for the operator of the service.' }),
        name: z.string().meta({ description: 'The name at that time.' }),
        kind: ActorKind,
        acted_via_key_id: ActedViaKeyId,
      })
      .meta({ description: 'Who made the change.' }),
    target_id: z.string().meta({ description: 'What was changed; `action` says of which kind it is.' }),
    changes: z
      .record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }))
      .nullable()
      .meta({ description: 'The settings that got another value, by their paths.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

const { updated_since: _, ...paging } = listQuery({}).shape;

export const AuditQuery = z.strictObject({
  ...paging,
  actor_id: z.string().max(100).optional(),
  action: z
    .array(AuditedAction)
    .optional()
    .meta({ description: 'Only these actions. The parameter can be repeated.' }),
  from: Instant.optional().meta({ description: 'Only changes at or after this time.' }),
  to: Instant.optional().meta({ description: 'Only changes before this time.' }),
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .meta({ description: '`csv` for a file, which has all rows unless there is a `limit`.' }),
});
export type AuditQuery = z.output<typeof AuditQuery>;

import * as z from 'zod';
import { Count, Instant, listQuery, Timestamp, Uuid } from './common.ts';
import { derived, initially, optional, resource, shownAs } from './resource.ts';

const TransferStatus = z.enum(['planned', 'scheduled', 'running', 'completed', 'failed', 'cancelled']).meta({
  description:
    '`planned` in the reply of a dry run alone; `scheduled` until `effective_at`; `running` while a worker does it.',
});

/** What becomes of something that the former client account has. */
const What = z.enum(['move', 'keep']);

const Which = z
  .enum(['location', 'inspection', 'corrective_action', 'issue', 'schedule', 'public_link'])
  .meta({ id: 'TransferredKind' });

const Counts = z
  .strictObject({
    locations: Count.meta({ description: 'The location, and those below it.' }),
    inspections: Count.meta({ description: 'Inspections that were not finished.' }),
    corrective_actions: Count.meta({ description: 'Open corrective actions of these inspections.' }),
    issues: Count.meta({ description: 'Open issues.' }),
    schedules: Count.meta({ description: 'Schedules that have gone along, or have lost locations.' }),
    public_links: Count.meta({ description: 'Public links that could be used.' }),
  })
  .meta({
    id: 'TransferCounts',
    description: 'How many of each the transfer has changed so far; of a dry run, how many it would change.',
  });
export type TransferCounts = z.output<typeof Counts>;

export const { LocationTransfer, NewLocationTransfer } = resource(
  'LocationTransfer',
  {
    ...derived({
      location_id: Uuid,
      from_client_account_id: Uuid.nullable().meta({
        description:
          'The client account that the location has belonged to; null for none. Until the transfer begins, the one at the time of the request.',
      }),
    }),
    client_account_id: Uuid.nullable().meta({
      description: 'The client account that the location goes to; null takes it away from its own.',
    }),
    effective_at: shownAs(
      Timestamp.meta({ description: 'When the transfer begins or has begun, to within five minutes.' }),
      optional(
        Instant.nullable().meta({
          description: 'When the transfer begins, to within five minutes; at once when it is null or past.',
        }),
      ),
    ),
    inspections: initially(
      'move',
      What.meta({
        description: 'What becomes of the inspections at these locations that are not finished.',
      }),
    ),
    issues: initially(
      'move',
      What.meta({ description: 'What becomes of the issues at these locations that are open.' }),
    ),
    schedules: initially(
      'move',
      What.meta({
        description:
          'What becomes of the client account’s schedules. `move`: a schedule whose locations are all transferred goes along. `keep`, and always for a schedule that has other locations as well: it loses those that are transferred, and is paused when none is left. A schedule without a client account stays as it is.',
      }),
    ),
    public_links: initially(
      'move',
      What.meta({ description: 'What becomes of the public links at these locations that can be used.' }),
    ),
    ...derived({
      status: TransferStatus,
      counts: Counts,
      error: z.string().nullable().meta({ description: 'Why it failed; null unless it did.' }),
      ended_at: Timestamp.nullable().meta({
        description: 'When it was completed or cancelled, or has failed; null before.',
      }),
      requested_by: z.string(),
    }),
  },
  {
    description:
      'A location that goes to another client account, with all that is below it and what is open there.',
  },
);
export type LocationTransfer = z.output<typeof LocationTransfer>;

export const TransferRequest = NewLocationTransfer.extend({
  dry_run: z.boolean().default(false).meta({
    description: 'Changes nothing, and lists in `items` what the same request would change now.',
  }),
}).meta({ id: 'TransferRequest' });
export type TransferRequest = z.output<typeof TransferRequest>;

export const TransferItem = z
  .strictObject({
    kind: Which,
    id: Uuid,
    name: z.string().meta({ description: 'Its name, title or label.' }),
    outcome: z.enum(['moves', 'stays', 'loses_locations']).meta({
      description:
        '`moves`: it gets the other client account. `stays`: it keeps its own, as the request asks; or, of a corrective action, because its inspection is completed. `loses_locations`: a schedule that stays, without the locations that go.',
    }),
  })
  .meta({ id: 'TransferItem', description: 'Something that belongs to a transferred location.' });
export type TransferItem = z.output<typeof TransferItem>;

export const RequestedTransfer = LocationTransfer.extend({
  id: Uuid.nullable().meta({
    description: 'The id of the transfer; null in the reply of a dry run, which makes none.',
  }),
  items: z.array(TransferItem).optional().meta({
    description: 'What the request would change, and what is open and would stay. Only with `dry_run`.',
  }),
}).meta({ id: 'RequestedTransfer', description: 'A transfer, or the plan of one.' });
export type RequestedTransfer = z.output<typeof RequestedTransfer>;

export const transferQuery = listQuery({
  location_id: Uuid.optional().meta({ description: 'Only transfers of this location itself.' }),
  status: z
    .array(TransferStatus.exclude(['planned']))
    .max(5)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
});
export type TransferQuery = z.output<typeof transferQuery>;

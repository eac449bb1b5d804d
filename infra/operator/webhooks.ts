import * as z from 'zod';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewWebhook, type Webhook } from '../../shared/schemas/webhook.ts';
import { createWebhook } from '../../shared/webhooks/endpoints.ts';
import * as webhooks from '../../shared/webhooks/webhooks.ts';
import { command } from './command.ts';
import { operatorOf } from './operator.ts';

const { url, types, description } = NewWebhook.shape;

/** Types separated by commas. */
const Types = z
  .string()
  .transform((list) => list.split(',').map((type) => type.trim()))
  .pipe(types);

const shown = ({ id, url, description, types, status, disabled_reason, failing_since }: Webhook) => ({
  id,
  url,
  description,
  types,
  status,
  disabled_reason,
  failing_since,
});

/** The commands for endpoints to which events are sent. */
export const webhookCommands = {
  'webhook create': command({
    summary:
      'create an endpoint for events: all (*), of a kind (inspection.*) or of types; its secret is shown only once',
    options: z.strictObject({ org: Uuid, url, types: Types, description }),
    run: async ({ org, ...fields }) => {
      const { secret, ...webhook } = await createWebhook(await operatorOf(org), fields);
      return { ...shown(webhook), secret };
    },
  }),
  'webhook list': command({
    summary: 'list the endpoints of an organization',
    options: z.strictObject({ org: Uuid }),
    run: async ({ org }) => {
      const listing = await webhooks.list(await operatorOf(org), {});
      const rows = 'rows' in listing ? await Array.fromAsync(listing.rows) : listing.page;
      return rows.map(shown);
    },
  }),
};

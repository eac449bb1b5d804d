import { defineError } from './define.ts';

/* Webhooks. */

export const tooManyWebhooks = defineError(
  409,
  'too_many_webhooks',
  'The organization has as many webhooks as it can have.',
  (most: number) => `The organization already has ${most} webhooks, the maximum.`,
);

export const webhookDisabled = defineError(
  409,
  'webhook_disabled',
  'The webhook is disabled, so nothing is sent to it.',
  () => 'The webhook is disabled. Set its status to active first.',
);

export const replayRunning = defineError(
  409,
  'replay_running',
  'A replay of the webhook is not completed yet.',
  (id: string) => `The replay ${id} of the webhook is still running.`,
);

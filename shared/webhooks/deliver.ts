import type { Caller } from '../base/caller.ts';
import { logDeliveries, logDisabledEndpoint } from '../base/log.ts';
import { unseal } from '../outside/sealing.ts';
import type { StoredWebhook } from '../table/entities/webhooks.ts';
import { leaveNow } from '../table/slots.ts';
import { previousSecret, type WholeWebhook } from './records.ts';
import { continueReplay } from './replays.ts';
import { type OwnHeaders, sendDelivery } from './send.ts';
import {
  allowedNow,
  dueDeliveries,
  giveBack,
  letGo,
  recordAttempts,
  type SentDelivery,
  takeWebhook,
} from './turns.ts';

/** The secrets that sign messages to an endpoint now. */
const secretsOf = (caller: Caller, webhook: StoredWebhook): Promise<string[]> => {
  const previous = previousSecret(webhook);
  const sealed = [webhook.secret, ...(previous ? [previous.secret] : [])];
  return Promise.all(sealed.map((each) => unseal(caller, { webhook: webhook.id }, each)));
};

/** The customer's own headers of an endpoint. */
const headersOf = async (caller: Caller, { id, headers = [] }: StoredWebhook): Promise<OwnHeaders> =>
  Object.fromEntries(
    await Promise.all(
      headers.map(async ({ name, value }) => [name, await unseal(caller, { webhook: id }, value)] as const),
    ),
  );

const logSent = (sent: readonly SentDelivery[]): void =>
  logDeliveries({
    attempts: sent.length,
    failures: sent.filter(({ attempt }) => attempt.error !== null).length,
  });

/**
 * Sends due deliveries until none is left, the worker has lost the endpoint, or the time is over.
 * @returns the endpoint as it is now; undefined when it was disabled, or the worker has lost it
 */
const sendDue = async (
  caller: Caller,
  taken: WholeWebhook,
  deadline: number,
): Promise<WholeWebhook | undefined> => {
  let whole: WholeWebhook | undefined = taken;
  let opened: { version: number; secrets: string[]; headers: OwnHeaders } | undefined;
  while (whole && Date.now() < deadline) {
    const due = await dueDeliveries(caller, whole);
    if (due.length > 0) {
      const { webhook }: WholeWebhook = whole;
      if (opened?.version !== webhook.version) {
        const [secrets, headers] = await Promise.all([
          secretsOf(caller, webhook),
          headersOf(caller, webhook),
        ]);
        opened = { version: webhook.version, secrets, headers };
      }
      const { secrets, headers } = opened;
      const sent = await Promise.all(due.map((each) => sendDelivery(webhook.url, secrets, headers, each)));
      logSent(sent);
      whole = await recordAttempts(caller, whole, sent);
      if (whole?.webhook.status === 'disabled') {
        const { id: webhook_id, disabled_reason } = whole.webhook;
        logDisabledEndpoint({ org_id: caller.org_id, webhook_id, reason: disabled_reason! });
        return undefined;
      }
    } else if (whole.state.replay_id !== null && allowedNow(whole, Date.now()) > 0) {
      whole = await continueReplay(caller, whole);
    } else {
      return whole;
    }
  }
  return whole;
};

/**
 * Sends the due deliveries of an endpoint, a few at once. Each endpoint has only one worker at a time.
 * @param turn the task's count; an outdated task does nothing
 * @param deadline epoch milliseconds; a new task gets the rest
 */
export const deliverTo = async (
  caller: Caller,
  webhookId: string,
  turn: number,
  deadline: number,
): Promise<void> => {
  const taken = await takeWebhook(caller, webhookId, turn);
  if (!taken) return;
  try {
    const whole = await sendDue(caller, taken.whole, deadline);
    if (whole) await letGo(caller, whole);
  } catch (error) {
    // The task is repeated. If giving back fails too, the sweep finds the endpoint after the end of its lease.
    await giveBack(caller, taken.whole).catch(() => undefined);
    throw error;
  } finally {
    await leaveNow(caller, 'WEBHOOK', taken);
  }
};

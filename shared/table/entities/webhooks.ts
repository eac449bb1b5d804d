import type {
  DeliveredType,
  DeliveryStatus,
  Webhook,
  WebhookAttempt,
  WebhookFilter,
  WebhookReplay,
} from '../../schemas/webhook.ts';

/** A header of the customer's own. */
export interface SealedHeader {
  name: string;
  /** Encrypted. */
  value: string;
}

/** The settings of an endpoint. What deliveries change stands in its state, so that neither overwrites the other. */
export type StoredWebhook = Omit<
  Webhook,
  'filter' | 'header_names' | 'failing_since' | 'last_success_at' | 'last_failure' | 'previous_secret_until'
> & {
  /** Absent without one. */
  filter?: WebhookFilter | null;
  /** Absent without any. */
  headers?: SealedHeader[];
  /** Encrypted. */
  secret: string;
  /** The one before the last rotation, encrypted, and until when it signs too. */
  previous_secret: { secret: string; until: string } | null;
  /** It gets the events after this number of the sequence: that of the last one before it became active. */
  after: number;
};

/** What deliveries have left behind of an endpoint. A worker finds the row by `by_due` when something is to be done. */
export interface WebhookState {
  org_id: string;
  webhook_id: string;
  /** How often in a row nothing succeeded. */
  failures: number;
  failing_since: Webhook['failing_since'];
  last_success_at: Webhook['last_success_at'];
  last_failure: Webhook['last_failure'];
  /** Nothing is sent before: it fails, and one delivery then shows whether it still does. Null while it works. */
  probe_at: string | null;
  /** The replay that is not completed. */
  replay_id: string | null;
  /** Moves when a worker takes the endpoint, so that no two send to it at once. A task for an earlier turn is outdated. */
  turn: number;
  /** When the next worker is to take it; null when nothing is to be sent. */
  run_at: string | null;
  /** Until when a worker has it, in epoch milliseconds; 0 when none has. */
  leased_until: number;
  /** When the sweep looks at it: nobody may have taken it by then. Null when nothing is to be sent. */
  due_at: string | null;
  version: number;
  by_due?: string;
  by_due_at?: string;
}

/** An event on its way to an endpoint, with all attempts to send it. */
export interface StoredDelivery {
  id: string;
  webhook_id: string;
  event_id: string;
  type: DeliveredType;
  /** Null for a test. */
  sequence: number | null;
  status: DeliveryStatus;
  created_at: string;
  /** Null unless it is pending. */
  next_attempt_at: string | null;
  /** By which time its place among the pending ones is known; null unless it is pending. */
  queued_at: string | null;
  attempts: WebhookAttempt[];
  /** What the last attempt has sent. */
  request: { url: string; headers: Record<string, string> } | null;
  /** What a test sends. The body of an event is made from the event. */
  body?: string;
  /** Epoch seconds. */
  ttl: number;
}

/** Lists a delivery among the pending ones of its endpoint, in the order in which they are sent. */
export interface PendingDelivery {
  delivery_id: string;
  created_at: string;
  /** Epoch seconds. */
  ttl: number;
}

/** A replay, and how far it has come. */
export type StoredReplay = Omit<WebhookReplay, 'since' | 'until'> & {
  /** The number of the next event to look at; null before it is known where the period begins. */
  next: number | null;
  /** The number of the last event when the replay was requested. */
  last: number;
  updated_at: string;
  /** Epoch seconds. */
  ttl: number;
};

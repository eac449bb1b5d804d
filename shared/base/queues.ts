/** The queues of tasks that the service gives its own workers. */
export const TASK_QUEUES = ['render', 'export', 'bulk', 'cleanup', 'mail', 'sync', 'webhooks'] as const;

/**
 * The queues of the service. In the cloud, each name has a queue, a dead-letter queue and an alarm. The mail service
 * writes to `feedback` whether mails were delivered.
 */
export const QUEUES = [...TASK_QUEUES, 'feedback'] as const;
export type QueueName = (typeof QUEUES)[number];

/** How long a task that failed waits for its next attempt, in seconds. Most failures end soon; an outage may not. */
const RETRY_DELAYS = [10, 30, 120, 600];

/** How often a task is tried. */
export const QUEUE_ATTEMPTS = RETRY_DELAYS.length + 1;

/**
 * How often a message is delivered before it is moved to the dead-letter queue. The last delivery is no attempt: it
 * cleans up after a last attempt whose function crashed.
 */
export const QUEUE_DELIVERIES = QUEUE_ATTEMPTS + 1;

/**
 * How long a task waits after a failure, in seconds. After the last attempt there is nothing to wait for, but the local
 * queues (fauxqs 2.4) fail for a delay of 0.
 */
export const retryDelay = (attempt: number): number => RETRY_DELAYS[attempt - 1] ?? 1;

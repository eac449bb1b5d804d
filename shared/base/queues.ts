/** The queues of the service. In the cloud, each name has a queue, a dead-letter queue and an alarm. */
export const QUEUES = ['render', 'cleanup', 'mail'] as const;
export type QueueName = (typeof QUEUES)[number];

/** How often a message is delivered before it is moved to the dead-letter queue. */
export const QUEUE_ATTEMPTS = 4;

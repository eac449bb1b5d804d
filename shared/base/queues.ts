/** The queues of the service; a name here is a queue, its dead-letter queue and its alarm in the cloud. */
export const QUEUES = ['render', 'cleanup', 'mail'] as const;
export type QueueName = (typeof QUEUES)[number];

/** How often a message is tried before it is put aside into the dead-letter queue. */
export const QUEUE_ATTEMPTS = 4;

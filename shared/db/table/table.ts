/**
 * The one table's definition, from which the cloud's and the embedded engine's are both made.
 *
 * Entity and access-pattern charts stand in `keys.ts`. The indexes hold keys only: a filtered list reads the
 * order from the index and the rows themselves strongly consistent, and a change of anything but a key
 * attribute costs no index write.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds. Not `expires_at`, which on the wire is a timestamp that a row must outlive. */
  timeToLive: 'ttl',
  indexes: [
    { name: 'by_status', partitionKey: 'by_status', sortKey: 'sk' },
    { name: 'by_client', partitionKey: 'by_client', sortKey: 'sk' },
    { name: 'by_location', partitionKey: 'by_location', sortKey: 'sk' },
    { name: 'by_family', partitionKey: 'by_family', sortKey: 'sk' },
    /** Partition `DUE#<shard>`: what a worker must find across organizations without a scan. */
    { name: 'by_due', partitionKey: 'by_due', sortKey: 'by_due_at' },
  ],
} as const;

export type IndexName = (typeof TABLE.indexes)[number]['name'];

/**
 * Which of the table's changes the stream's workers see: new rows with the string attribute `outbox`, in the
 * language of Lambda's event filters. Its `exists` tests leaves only, so the attribute's type is part of the rule.
 */
export const OUTBOX_FILTER = {
  eventName: ['INSERT'],
  dynamodb: { NewImage: { outbox: { S: [{ exists: true }] } } },
} as const;

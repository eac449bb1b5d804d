/**
 * The definition of the table. The tables in the cloud and in the embedded engine are both made from it.
 *
 * The charts of entities and access patterns are in `keys.ts`. The indexes project keys only. A filtered list reads the
 * order from the index and then the rows themselves, strongly consistent. A change of an attribute that is no key costs
 * no write to an index.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds. It is not called `expires_at`, which is a field of resources that must still be readable later. */
  timeToLive: 'ttl',
  indexes: [
    { name: 'by_status', partitionKey: 'by_status', sortKey: 'sk' },
    { name: 'by_client', partitionKey: 'by_client', sortKey: 'sk' },
    { name: 'by_location', partitionKey: 'by_location', sortKey: 'sk' },
    { name: 'by_family', partitionKey: 'by_family', sortKey: 'sk' },
    /** Partition `DUE#<what>#<shard>`: rows that workers find across organizations without a scan. */
    { name: 'by_due', partitionKey: 'by_due', sortKey: 'by_due_at' },
  ],
} as const;

export type IndexName = (typeof TABLE.indexes)[number]['name'];

/**
 * The changes of the table that the stream's workers receive, as a filter of a Lambda event source: new rows with the
 * string attribute `outbox`. `exists` works on leaf nodes only, so the filter names the attribute's type.
 */
export const OUTBOX_FILTER = {
  eventName: ['INSERT'],
  dynamodb: { NewImage: { outbox: { S: [{ exists: true }] } } },
} as const;

import recorded from '../functions/recorded.json' with { type: 'json' };
import type { EventType } from '../shared/schemas/event-data.ts';
import type { Grant } from './grants.ts';

/** What the tests have seen an operation or a worker use. `npm run record` writes it, and each test compares it. */
export interface Recorded {
  /** What it may do, in alphabetical order: with the reading of its link or session, without what a key needs. */
  grants: readonly Grant[];
  /**
   * The most DynamoDB calls of one request without an idempotency key, including authentication. A request for a person
   * has one more. A worker has none.
   */
  calls?: number;
  /**
   * The events that it emits, in the order in which the API reference names them. What only reads has
   * none, and so has a worker that emits none.
   */
  events?: readonly EventType[];
}

/** By the ids of operations and workers. */
export const recordedOf = (id: string): Recorded | undefined =>
  (recorded as Partial<Record<string, Recorded>>)[id];

import type { QueueName } from '../../base/queues.ts';

/** DynamoDB's IAM actions. A transaction needs the actions of its items; it has none of its own. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

export type BucketAction = 'GetObject' | 'PutObject' | 'DeleteObject';

/**
 * One action that a function may take on the table, the bucket or a queue, or the right to send mail from the
 * deployment's address. `table:Query` includes the table's indexes.
 */
export type Grant =
  | `table:${TableAction}`
  | `bucket:${BucketAction}`
  | `queue:${QueueName}:SendMessage`
  | 'mail:SendEmail';

/** Authentication updates the key's row on every request. */
const AUTHENTICATION: readonly Grant[] = ['table:UpdateItem'];
/** A POST may claim an idempotency key. */
const IDEMPOTENCY: readonly Grant[] = [
  'table:PutItem',
  'table:UpdateItem',
  'table:DeleteItem',
  'table:Query',
];

/** All grants of an operation's function, each of them once. */
export const grantsOf = (operation: { method: string; grants: readonly Grant[] }): Grant[] => [
  ...new Set([...AUTHENTICATION, ...(operation.method === 'POST' ? IDEMPOTENCY : []), ...operation.grants]),
];

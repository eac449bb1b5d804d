import type { QueueName } from '../../base/queues.ts';
import { isRepeatable } from './repeatable.ts';

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
/** An operation that takes an idempotency key claims it, and stores its reply. */
const IDEMPOTENCY: readonly Grant[] = [
  'table:PutItem',
  'table:UpdateItem',
  'table:DeleteItem',
  'table:Query',
];

/** All grants of an operation's function, each of them once. */
export const grantsOf = (operation: {
  method: string;
  access: string;
  grants: readonly Grant[];
}): Grant[] => [
  ...new Set([...AUTHENTICATION, ...(isRepeatable(operation) ? IDEMPOTENCY : []), ...operation.grants]),
];

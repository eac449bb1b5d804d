import type { QueueName } from '../base/queues.ts';

/** DynamoDB's IAM actions. A transaction is granted by the actions of its items; there is no action for itself. */
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
 * What a function may do, action by action, on the one table, the one bucket and the queues, and whether it may
 * mail from the deployment's address. `table:` on a function grants the same on the table's indexes for `Query`.
 */
export type Grant =
  | `table:${TableAction}`
  | `bucket:${BucketAction}`
  | `queue:${QueueName}:SendMessage`
  | 'mail:SendEmail';

/** What the chain in front of every operation needs: one stamp on the key, and a claim where a POST has one. */
const AUTHENTICATION: readonly Grant[] = ['table:UpdateItem'];
const IDEMPOTENCY: readonly Grant[] = [
  'table:PutItem',
  'table:UpdateItem',
  'table:DeleteItem',
  'table:Query',
];

/** All that an operation's function may do, each action once. */
export const grantsOf = (operation: { method: string; grants: readonly Grant[] }): Grant[] => [
  ...new Set([...AUTHENTICATION, ...(operation.method === 'POST' ? IDEMPOTENCY : []), ...operation.grants]),
];

import type { QueueName } from '../../base/queues.ts';
import { isRepeatable } from './repeatable.ts';
import { isAsset, isPublic } from './surface.ts';

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
 * deployment's address. `table:Query` includes the table's indexes. `link` and `visits` are rows of the table that belong
 * to no organization: the public links, and how often these are visited.
 */
export type Grant =
  | `table:${TableAction}`
  | 'link:BatchGetItem'
  | 'link:PutItem'
  | 'visits:UpdateItem'
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

/** A page finds out where its link leads, and counts the visit. */
const FOLLOWING: readonly Grant[] = ['link:BatchGetItem', 'visits:UpdateItem'];

/** What a declaration says about the grants of its surface. */
type Surface = { link: string } | { loadedBy: string } | { method: string; access: string };

const grantsOfSurface = (operation: Surface): readonly Grant[] => {
  if (isAsset(operation)) return [];
  if (isPublic(operation)) return FOLLOWING;
  return isRepeatable(operation) ? [...AUTHENTICATION, ...IDEMPOTENCY] : AUTHENTICATION;
};

/** All grants of an operation's function, each of them once. */
export const grantsOf = (operation: Surface & { grants: readonly Grant[] }): Grant[] => [
  ...new Set([...grantsOfSurface(operation), ...operation.grants]),
];

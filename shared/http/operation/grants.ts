import type { QueueName } from '../../base/queues.ts';
import { isRepeatable } from './repeatable.ts';
import { isAdminPage, isAppOnly, isAsset, isBrowserStep, isPublic } from './surface.ts';

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

/** KMS's IAM actions on the key of credentials and of the secrets of webhooks. */
export type SealAction = 'Encrypt' | 'Decrypt';

/**
 * One action that a function may take on the table, the bucket, a queue, the credentials by which an organization's
 * connections call vendors or the secrets that sign what its webhooks get, or the right to send mail from the deployment's
 * address. `table:Query` includes the table's indexes. The services before `bucket` are
 * rows of the table that belong to no organization: API keys by their hash, public links, how often these are visited,
 * sessions, the memberships of people, and of email addresses.
 */
export type Grant =
  | `table:${TableAction}`
  | 'link:BatchGetItem'
  | 'link:PutItem'
  | 'visits:UpdateItem'
  | `key:${'BatchGetItem' | 'PutItem' | 'UpdateItem'}`
  | `session:${'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem'}`
  | `person:${'BatchGetItem' | 'Query' | 'PutItem' | 'DeleteItem'}`
  | `email:${'Query' | 'PutItem' | 'DeleteItem'}`
  | `bucket:${BucketAction}`
  | `queue:${QueueName}:SendMessage`
  | `credential:${SealAction}`
  | `secret:${SealAction}`
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

/** A request of a person reads its session, which it moves on now and then, and the member that the person is. */
const SESSION: readonly Grant[] = ['session:BatchGetItem', 'session:UpdateItem'];
const MEMBERSHIP: readonly Grant[] = ['table:GetItem'];

/** A request for a person reads which member the person is. */
const ON_BEHALF = MEMBERSHIP;

/** What a declaration says about the grants of its surface. */
type Surface =
  | { link: string }
  | { loadedBy: string }
  | { surface: 'browser' }
  | { surface: 'admin' }
  | { method: string; access: string; surface?: 'app'; app?: object; roles?: unknown; actsFor?: object };

const grantsOfSurface = (operation: Surface): readonly Grant[] => {
  if (isAsset(operation)) return [];
  if (isPublic(operation)) return FOLLOWING;
  if (isBrowserStep(operation)) return [];
  if (isAdminPage(operation)) return SESSION;
  if (isAppOnly(operation)) return operation.roles === 'any' ? SESSION : [...SESSION, ...MEMBERSHIP];
  return [
    ...AUTHENTICATION,
    ...(isRepeatable(operation) ? IDEMPOTENCY : []),
    ...(operation.actsFor ? ON_BEHALF : []),
    ...(operation.app ? [...SESSION, ...MEMBERSHIP] : []),
  ];
};

/** All grants of an operation's function, each of them once. */
export const grantsOf = (operation: Surface & { grants: readonly Grant[] }): Grant[] => [
  ...new Set([...grantsOfSurface(operation), ...operation.grants]),
];

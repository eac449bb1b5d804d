import { QUEUES, type QueueName } from '../shared/base/queues.ts';
import {
  isRepeatable,
  isAdminPage,
  isAppOnly,
  isAsset,
  isBrowserStep,
  isProbe,
  isPublic,
} from '../shared/http/operation/surface.ts';

/**
 * What a function may be granted on each service: the table, the bucket, the credentials by which an organization's
 * connections call vendors, the secrets that sign what its webhooks get, and mail from the deployment's address. The
 * services from `link` to `email` are rows of the table that belong to no organization: public links, how often these
 * are visited and people ask the app for something, API keys by their hash, sessions, the memberships of people, and of email addresses.
 */
const ACTIONS = {
  // DynamoDB's IAM actions. A transaction needs the actions of its items; it has none of its own. `Query` includes the
  // table's indexes.
  table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  link: ['BatchGetItem', 'PutItem'],
  visits: ['UpdateItem'],
  key: ['BatchGetItem', 'PutItem', 'UpdateItem'],
  session: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  person: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem'],
  email: ['Query', 'PutItem', 'DeleteItem'],
  bucket: ['GetObject', 'PutObject', 'DeleteObject'],
  credential: ['Encrypt', 'Decrypt'],
  secret: ['Encrypt', 'Decrypt'],
  mail: ['SendEmail'],
} as const;

type Service = keyof typeof ACTIONS;

/** One action that a function may take. */
export type Grant =
  | { [Name in Service]: `${Name}:${(typeof ACTIONS)[Name][number]}` }[Service]
  | `queue:${QueueName}:SendMessage`;

const GRANTS: ReadonlySet<string> = new Set([
  ...Object.entries(ACTIONS).flatMap(([service, actions]) => actions.map((action) => `${service}:${action}`)),
  ...QUEUES.map((queue) => `queue:${queue}:SendMessage`),
]);

/** Whether a function may be granted this at all. */
export const isGrant = (text: string): text is Grant => GRANTS.has(text);

/** Authentication updates the key's row on every request. */
const AUTHENTICATION: readonly Grant[] = ['table:UpdateItem'];
/** An operation that takes an idempotency key claims it, and stores its reply. */
const IDEMPOTENCY: readonly Grant[] = [
  'table:PutItem',
  'table:UpdateItem',
  'table:DeleteItem',
  'table:Query',
];

/**
 * A request of a person reads its session, which it moves on now and then, and the member that the person is, and is
 * counted.
 */
const SESSION: readonly Grant[] = ['session:BatchGetItem', 'session:UpdateItem', 'visits:UpdateItem'];
const MEMBERSHIP: readonly Grant[] = ['table:GetItem'];

/** A request for a person reads which member the person is. */
const ON_BEHALF = MEMBERSHIP;

/** Whoever writes rows may have to upgrade one in place first (`upgrade.ts` of `shared/table`), which no record shows. */
const UPGRADE: readonly Grant[] = ['table:UpdateItem'];
/** A worker that stores files deletes them again when their organization was deleted meanwhile, which no record shows. */
const LATE_FILES: readonly Grant[] = ['bucket:DeleteObject'];
const isWrite = (grant: Grant): boolean => /^table:(Put|Delete|ConditionCheck)Item$/.test(grant);

/** What a declaration says about the grants of its surface. */
type Surface = { id: string } & (
  | { link: string }
  | { loadedBy: string }
  | { surface: 'browser' }
  | { surface: 'admin' }
  | { surface: 'probe' }
  | {
      method: string;
      access: string;
      surface?: 'app';
      app?: object;
      people?: object;
      roles?: unknown;
      actsFor?: object;
    }
);

/** What an operation of a surface needs although its record may not show it, such as for a request with a header. */
const grantsOfSurface = (operation: Surface): readonly Grant[] => {
  if (isAsset(operation) || isProbe(operation) || isPublic(operation) || isBrowserStep(operation)) return [];
  if (isAdminPage(operation)) return SESSION;
  if (isAppOnly(operation)) return operation.roles === 'any' ? SESSION : [...SESSION, ...MEMBERSHIP];
  return [
    ...AUTHENTICATION,
    ...(isRepeatable(operation) ? IDEMPOTENCY : []),
    ...(operation.actsFor ? ON_BEHALF : []),
    ...(operation.app || operation.people ? [...SESSION, ...MEMBERSHIP] : []),
  ];
};

/** The part of an entry of the catalogue that says what its function may do. */
type Granted = { recorded?: { grants: readonly Grant[] } | undefined } & (
  | { operation: Surface }
  | { worker: { id: string } }
);

/** All grants of a function, each of them once. @throws Error for one that is not recorded */
export const grantsOf = (entry: Granted): Grant[] => {
  const [{ id }, ofSurface] =
    'worker' in entry ? [entry.worker, []] : [entry.operation, grantsOfSurface(entry.operation)];
  if (!entry.recorded)
    throw new Error(`What ${id} uses is not recorded. Run \`npm run record\`, and look at the difference.`);
  const { grants } = entry.recorded;
  const unrecorded = [
    ...(grants.some(isWrite) ? UPGRADE : []),
    ...('worker' in entry && grants.includes('bucket:PutObject') ? LATE_FILES : []),
  ];
  return [...new Set([...ofSurface, ...grants, ...unrecorded])];
};

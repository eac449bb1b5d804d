import type { ErrorKind } from '../../../shared/base/api-error.ts';
import type { AppOperation, Method, Operation } from '../../../shared/http/operation/operation.ts';
import { isAppOnly, routeOf, routesOf } from '../../../shared/http/operation/surface.ts';
import type { KeyEntry } from '../../catalogue.ts';
import type { Recorded } from '../../recorded.ts';
import { OPERATION_SENTENCES } from '../sentences.ts';
import { tagOf } from './areas.ts';
import { errorKindsOf, isCommon } from './error-codes.ts';
import { parametersOf } from './parameters.ts';
import { errorStatuses, repliesOf } from './replies.ts';
import { requestBodyOf } from './requests.ts';
import type { Schemas } from './schemas.ts';
import type { OperationObject, Paths } from './types.ts';

const ACCESS = {
  read: '',
  write: 'Needs a read & write key.',
  person: 'Needs a signed-in person. An API key gets a `403`.',
} as const satisfies Record<Operation['access'], string>;

/** The events that a change emits. */
const eventsOf = ({ events = [] }: Recorded): string =>
  events.length === 0 ? '' : `Emits ${events.map((type) => `\`${type}\``).join(', ')}.`;

const isApp = (operation: Operation): operation is AppOperation => isAppOnly(operation);

const rolesIn = (roles: readonly string[]): string => roles.map((role) => `\`${role}\``).join(', ');

/** Who may call, in words. */
const accessText = (operation: Operation): string => {
  if (!isApp(operation)) return ACCESS[operation.access];
  return operation.roles === 'any'
    ? 'For everybody who has signed in.'
    : `For members with the role ${rolesIn(operation.roles)}.`;
};

/** Who can read it with a session. */
const peopleText = ({ people, path }: Operation): string => {
  if (!people) return '';
  const route = routesOf({ path, people }).find(({ surface }) => surface === 'app')!;
  return `Signed-in members with the role ${rolesIn(people)} get the same reply at \`${route.path}\`, with their session instead of a key.`;
};

/** For whom a key can call it. */
const actsForText = ({ actsFor }: Operation): string =>
  actsFor ? `Can be called for a member with the role ${rolesIn(actsFor)} (\`On-Behalf-Of\`).` : '';

const deprecationText = ({ deprecated }: Operation): string =>
  deprecated
    ? `**Deprecated** since ${deprecated.since}, and gone on ${deprecated.sunset}. Call \`${deprecated.instead}\` instead.`
    : '';

/** The errors that not every operation has, in words. */
const errorsText = (kinds: readonly ErrorKind[]): string => {
  const own = kinds.filter(({ code }) => !isCommon(code));
  const byStatus = Map.groupBy(own, ({ status }) => status);
  const texts = [...byStatus].map(
    ([status, list]) => `${status} ${list.map(({ code }) => `\`${code}\``).join(', ')}`,
  );
  return texts.length === 0 ? '' : `Errors: ${texts.join('; ')}.`;
};

const operationObject = (entry: KeyEntry, schemas: Schemas): OperationObject => {
  const { operation, recorded } = entry;
  const kinds = errorKindsOf(entry, errorStatuses(operation));
  const description = [
    deprecationText(operation),
    operation.description ?? OPERATION_SENTENCES[operation.id],
    recorded && eventsOf(recorded),
    accessText(operation),
    actsForText(operation),
    peopleText(operation),
    errorsText(kinds),
  ]
    .filter(Boolean)
    .join('\n\n');
  const parameters = parametersOf(operation, schemas);
  const requestBody = requestBodyOf(operation, schemas);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(description && { description }),
    tags: [tagOf(entry)],
    ...(operation.deprecated && { deprecated: true }),
    ...(isApp(operation) && { security: [{ session: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: repliesOf(operation, schemas),
    ...(kinds.length > 0 && { 'x-error-codes': kinds.map(({ code }) => code) }),
  };
};

/**
 * The operations of the document, by path and method, in the order in which they are given. Paths are relative to `/v1`,
 * except those of the app, which have all of theirs: some would be the same.
 * @param peopleUrl the part of the service's address before the paths of the app
 */
export const pathsOf = (entries: readonly KeyEntry[], schemas: Schemas, peopleUrl: string): Paths => {
  const paths: Paths = {};
  for (const entry of entries) {
    const { operation } = entry;
    const [path, item] = isApp(operation)
      ? [routeOf(operation), { servers: [{ url: peopleUrl }] }]
      : [operation.path, {}];
    const method = operation.method.toLowerCase() as Lowercase<Method>;
    (paths[path] ??= item)[method] = operationObject(entry, schemas);
  }
  return paths;
};

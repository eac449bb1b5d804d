import type { Method, Operation } from '../../../shared/http/operation/operation.ts';
import type { KeyEntry } from '../../catalogue.ts';
import { tagOf } from './areas.ts';
import { parametersOf } from './parameters.ts';
import { repliesOf } from './replies.ts';
import { requestBodyOf } from './requests.ts';
import type { Schemas } from './schemas.ts';
import type { OperationObject, Paths } from './types.ts';

const ACCESS = {
  read: '',
  write: 'Needs a read & write key.',
  person: 'Needs a signed-in person. An API key gets a `403`.',
} as const satisfies Record<Operation['access'], string>;

/** The events that a change emits. */
const eventsOf = ({ emits = [] }: Operation): string =>
  'nothing' in emits || emits.length === 0 ? '' : `Emits ${emits.map((type) => `\`${type}\``).join(', ')}.`;

const operationObject = (entry: KeyEntry, schemas: Schemas): OperationObject => {
  const { operation } = entry;
  const description = [operation.description, eventsOf(operation), ACCESS[operation.access]]
    .filter(Boolean)
    .join('\n\n');
  const parameters = parametersOf(operation, schemas);
  const requestBody = requestBodyOf(operation, schemas);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(description && { description }),
    tags: [tagOf(entry)],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: repliesOf(operation, schemas),
  };
};

/** The operations of the document, by path and method, in the order in which they are given. */
export const pathsOf = (entries: readonly KeyEntry[], schemas: Schemas): Paths => {
  const paths: Paths = {};
  for (const entry of entries) {
    const { path, method } = entry.operation;
    (paths[path] ??= {})[method.toLowerCase() as Lowercase<Method>] = operationObject(entry, schemas);
  }
  return paths;
};

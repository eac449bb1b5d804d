import type * as z from 'zod';
import type { Operation } from '../../../shared/http/operation/operation.ts';
import { isRepeatable } from '../../../shared/http/operation/surface.ts';
import { takesKnownReplies, takesVersion } from '../../../shared/http/versions.ts';
import { PARAMETER_SENTENCES } from '../sentences.ts';
import { parameterReference } from './components.ts';
import { isOptional } from './declaration.ts';
import { exampleOf } from './example.ts';
import { isMeaning, type Schemas } from './schemas.ts';
import type { Parameter, Reference } from './types.ts';

/** The parameters that an object schema declares; those of the path are always required and have an example. */
const parametersIn = (
  place: 'path' | 'query',
  { id, ...operation }: Operation,
  schemas: Schemas,
): Parameter[] =>
  Object.entries(
    (operation[place === 'path' ? 'params' : 'query']?.shape ?? {}) as Record<string, z.ZodType>,
  ).map(([name, type]) => {
    const { description: declared, ...schema } = schemas.of(type, 'input');
    const sentence = PARAMETER_SENTENCES[`${id}.${name}`] ?? PARAMETER_SENTENCES[name];
    const description = isMeaning(declared) ? declared : (sentence ?? declared);
    return {
      name,
      in: place,
      ...(description && { description }),
      ...((place === 'path' || !isOptional(type)) && { required: true }),
      schema,
      ...(place === 'path' && { example: exampleOf(schema, schemas.components, name) }),
    };
  });

/** All parameters of an operation: path, query, and the headers that follow from its form. */
export const parametersOf = (operation: Operation, schemas: Schemas): (Parameter | Reference)[] => [
  ...parametersIn('path', operation, schemas),
  ...parametersIn('query', operation, schemas),
  ...(isRepeatable(operation) ? [parameterReference('IdempotencyKey')] : []),
  ...(takesVersion(operation) ? [parameterReference('IfMatch')] : []),
  ...(operation.actsFor ? [parameterReference('OnBehalfOf')] : []),
  ...(takesKnownReplies(operation) ? [parameterReference('IfNoneMatch')] : []),
];

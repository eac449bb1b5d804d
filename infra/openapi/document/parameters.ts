import type * as z from 'zod';
import type { Operation } from '../../../shared/http/operation/operation.ts';
import { isRepeatable } from '../../../shared/http/operation/surface.ts';
import { isRecord } from '../../../shared/http/request/validation.ts';
import { takesKnownReplies, takesVersion } from '../../../shared/http/versions.ts';
import { PARAMETER_SENTENCES } from '../sentences.ts';
import { parameterReference } from './components.ts';
import { isOptional } from './declaration.ts';
import { exampleOf } from './example.ts';
import type { JsonSchema } from './json-schema.ts';
import { isMeaning, type Schemas } from './schemas.ts';
import type { Parameter, Reference } from './types.ts';

/** The schema of a record in a query, where each key stands behind the record's name. */
const withPrefix = (
  name: string,
  { propertyNames, additionalProperties, ...schema }: JsonSchema,
): JsonSchema => {
  const { pattern = '' } = (propertyNames ?? {}) as { pattern?: string };
  return {
    ...schema,
    patternProperties: { [`^${name}\\.${pattern.replace('^', '')}`]: additionalProperties as JsonSchema },
  };
};

/** The parameters that an object schema declares; those of the path are always required. Required ones have an example. */
const parametersIn = (
  place: 'path' | 'query',
  { id, ...operation }: Operation,
  schemas: Schemas,
): Parameter[] =>
  Object.entries(
    (operation[place === 'path' ? 'params' : 'query']?.shape ?? {}) as Record<string, z.ZodType>,
  ).map(([name, type]) => {
    const { description: declared, deprecated, ...declaredSchema } = schemas.of(type, 'input');
    const isNamed = place === 'query' && isRecord(type);
    const schema = isNamed ? withPrefix(name, declaredSchema) : declaredSchema;
    const isRequired = place === 'path' || !isOptional(type);
    const sentence = PARAMETER_SENTENCES[`${id}.${name}`] ?? PARAMETER_SENTENCES[name];
    const description = isMeaning(declared) ? declared : (sentence ?? declared);
    return {
      name,
      in: place,
      // Each of its properties is a parameter: `metadata.<key>=<text>`.
      ...(isNamed && { style: 'form', explode: true }),
      ...(description && { description }),
      ...(isRequired && { required: true }),
      ...(deprecated === true && { deprecated: true as const }),
      schema,
      ...(isRequired && { example: schema.examples?.[0] ?? exampleOf(schema, schemas.components, name) }),
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

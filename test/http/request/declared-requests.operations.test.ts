import fc from 'fast-check';
import { isMultipart } from '../../../shared/http/operation/operation.ts';
import { operationEntries } from '../../support/catalogue.ts';
import { documentOf } from '../../support/documented.ts';
import { scaled } from '../../support/scale.ts';
import { HOSTILE, readOrRefuse } from './reading.ts';

/** A JSON text in which a hostile text replaces one of the values. */
const poisoned = (value: unknown, place: number, poison: string): string => {
  let places = 0;
  const text = JSON.stringify({ value }, (_, inner: unknown) => {
    places += 1;
    return inner;
  });
  let at = 0;
  const marked = JSON.stringify({ value }, (_, inner: unknown) => {
    at += 1;
    return at - 1 === 1 + (place % Math.max(1, places - 1)) ? '@poison@' : inner;
  });
  return (marked ?? text).replace('"@poison@"', () => poison).slice('{"value":'.length, -1);
};

describe('every declared request', () => {
  const entries = operationEntries().filter(({ operation }) => operation.access !== 'person');
  const document = documentOf(() => entries);

  test.each(entries.map((entry) => [entry.operation.id, entry] as const))(
    '%s refuses a request that it cannot read',
    (_, entry) => {
      const { operation } = entry;
      const params = Object.fromEntries(
        Object.keys(operation.params?.shape ?? {}).map((name) => [name, 'x']),
      );
      const documented = document().paths[operation.path]!;
      const { requestBody } = documented[operation.method.toLowerCase() as 'post']!;
      const example = requestBody?.content['application/json']?.example ?? {};
      const names = Object.keys(operation.query?.shape ?? { any: 1 });
      fc.assert(
        fc.property(fc.constantFrom(...names), fc.string(), fc.string(), (name, a, b) =>
          readOrRefuse(operation, {
            query: new URLSearchParams([
              [name, a],
              [name, b],
            ]).toString(),
            params: { ...params },
          }),
        ),
        { numRuns: scaled(50, 500) },
      );
      if (isMultipart(operation.body)) return;
      fc.assert(
        fc.property(
          fc.nat(60),
          fc.oneof(fc.constantFrom(...HOSTILE), fc.json({ maxDepth: 2 })),
          (place, poison) =>
            readOrRefuse(operation, { body: Buffer.from(poisoned(example, place, poison)), params }),
        ),
        { numRuns: scaled(40, 300) },
      );
    },
  );
});

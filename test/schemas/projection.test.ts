import * as z from 'zod';
import { isFile } from '../../shared/http/operation/operation.ts';
import { Event } from '../../shared/schemas/event.ts';
import { present, projectionOf } from '../../shared/schemas/projection.ts';
import { appEntries, operationEntries } from '../support/catalogue.ts';

describe('projectionOf', () => {
  const inner = z.strictObject({ a: z.number(), b: z.number() });
  const other = 1;
  /** Compares texts, because the order counts. */
  const expectShown = (schema: z.ZodType, given: unknown, shown: unknown) =>
    expect(JSON.stringify(projectionOf(schema)(given))).toBe(JSON.stringify(shown));

  it('gives exactly the declared names of an object, in the order of its schema', () => {
    const schema = z.strictObject({ first: z.string(), second: inner.nullable(), free: z.unknown() });
    const given = { other, free: { b: 1, a: 2 }, second: { b: 1, other, a: 2 }, first: 'x' };
    expectShown(schema, given, { first: 'x', second: { a: 2, b: 1 }, free: { b: 1, a: 2 } });
    expectShown(schema, { second: null }, { second: null });
  });

  it('gives those of objects in lists, and of optional ones', () => {
    const schema = z.strictObject({
      list: z.array(inner),
      perhaps: inner.optional(),
      usually: inner.default({ a: 1, b: 1 }),
    });
    const given = { b: 1, other, a: 2 };
    const shown = { a: 2, b: 1 };
    expectShown(
      schema,
      { usually: given, perhaps: given, list: [given, given] },
      { list: [shown, shown], perhaps: shown, usually: shown },
    );
  });

  it('gives every entry of a record, but only listed ones where its schema lists the keys', () => {
    const given = { z: { a: 1, b: 1, other }, x: { a: 1, b: 1 } };
    const entry = { a: 1, b: 1 };
    expectShown(z.record(z.string(), inner), given, { z: entry, x: entry });
    expectShown(z.record(z.enum(['x', 'y']), inner), given, { x: entry });
    expectShown(z.record(z.string(), z.number()), { z: 1, x: 2 }, { z: 1, x: 2 });
  });

  it('gives of a union what the option declares that the discriminator names', () => {
    const schema = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), text: z.string() }),
      z.strictObject({ kind: z.enum(['b', 'c']), number: z.number() }),
    ]);
    expectShown(schema, { number: 1, text: 'x', kind: 'a' }, { kind: 'a', text: 'x' });
    expectShown(schema, { number: 1, text: 'x', kind: 'c' }, { kind: 'c', number: 1 });
    expectShown(schema, { number: 1, other, kind: 'd' }, { kind: 'd', number: 1 });
  });

  it('gives of any other union what the option declares that knows most of the names', () => {
    const schema = z.union([
      z.string(),
      z.array(inner),
      inner,
      z.strictObject({ a: z.number(), c: z.number() }),
    ]);
    expectShown(schema, { other, c: 1, a: 2 }, { a: 2, c: 1 });
    expectShown(schema, { other, b: 1, a: 2 }, { a: 2, b: 1 });
    expectShown(schema, [{ b: 1, other, a: 2 }], [{ a: 2, b: 1 }]);
    expectShown(schema, 'x', 'x');
  });
});

describe('present', () => {
  const Thing = z.strictObject({
    id: z.string(),
    size: z.number(),
    note: z.string().nullable(),
    hint: z.string().optional(),
  });

  it('gives the declared names, of which the computed ones win', () => {
    const row = { id: 'a', size: 1, note: 'x', secret: 's' };
    expect(present(Thing, row)).toEqual({ id: 'a', size: 1, note: 'x' });
    expect(present(Thing, row, { size: 2, hint: 'h' })).toEqual({ id: 'a', size: 2, note: 'x', hint: 'h' });
  });

  it('must be given what the row lacks, and nothing that the schema does not declare', () => {
    const row: { id: string; size?: number; note: string | number } = { id: 'a', note: 1 };
    present(Thing, row, { size: 1, note: null });
    // @ts-expect-error -- the row may lack the size
    present(Thing, row, { note: null });
    // @ts-expect-error -- the row's note may be a number
    present(Thing, row, { size: 1 });
    // @ts-expect-error -- nothing that is computed
    present(Thing, row);
    // @ts-expect-error -- not declared
    present(Thing, row, { size: 1, note: null, secret: 's' });
  });
});

/** Schemas of values without parts, which a projection gives as they are. */
const SCALARS = new Set(['string', 'number', 'boolean', 'null', 'literal', 'enum']);

/** The places of what a projection gives as it is, although it may have parts: by components and their fields. */
const freePlaces = (schemas: readonly z.core.$ZodType[]): string[] => {
  const places = new Set<string>();
  const seen = new Set<z.core.$ZodType>();
  const visit = (schema: z.core.$ZodType, above: string): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const place = z.globalRegistry.get(schema)?.id ?? above;
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (def.type === 'object') {
      for (const [name, field] of Object.entries(def.shape)) visit(field, `${place}.${name}`);
      if (def.catchall?._zod.def.type !== 'never') places.add(place);
    } else if (def.type === 'union') for (const option of def.options) visit(option, place);
    else if (def.type === 'array') visit(def.element, place);
    else if (def.type === 'record') visit(def.valueType, place);
    else if ('innerType' in def) visit(def.innerType, place);
    else if (!SCALARS.has(def.type)) places.add(place);
  };
  for (const schema of schemas) visit(schema, '');
  return [...places].toSorted();
};

/** What clients have given in a form of their own. A template's content is as its hash says. */
const FREE = [
  'AnswerRecord.value',
  'AnswerResult.detail.ctx',
  'AnswerResult.detail.input',
  'AssetValue.value',
  'AuditEntry.changes.from',
  'AuditEntry.changes.to',
  'BulkChange.filter',
  'BulkSetDue.due_at',
  'Content',
  'FieldChange.from',
  'FieldChange.to',
  'Incompatibility.from',
  'Incompatibility.to',
  'Inspection.start_answers',
  'IssueAnswer.value',
  'ItemValue.value',
  'Preferences.ui',
  'ReportField.value',
  'Revision.previous_value',
  'Revision.value',
  'SectionInstance.label_value',
];

test('replies and events hold nothing that a projection gives as it is, except values of a free form', () => {
  const replies = [...operationEntries(), ...appEntries()].flatMap(({ operation: { response } }) =>
    isFile(response) ? [] : [response],
  );
  expect(freePlaces([...replies, Event])).toEqual(FREE);
});

import {
  foldedText,
  type Mapped,
  mappingProblems,
  planOf,
} from '../../shared/domain/integrations/mappings.ts';
import { nextDayAt, nextSyncAt, scheduleWarning } from '../../shared/domain/integrations/schedule.ts';
import { hashOf, isFailed, personRow, syncedRowOf } from '../../shared/domain/integrations/synced-row.ts';
import { targetField } from '../../shared/schemas/integrations/target-fields.ts';
import type { Column, FieldType, Item } from '../../shared/schemas/integrations/vendor.ts';

const column = (id: string, ...target_field_types: FieldType[]): Column => ({
  id,
  title: id,
  type: 'any',
  description: null,
  options: [],
  target_field_types,
});
const COLUMNS = [
  column('c-name', 'text'),
  column('c-lat', 'number', 'text'),
  column('c-kind', 'text'),
  column('c-key', 'text'),
];
const mapped = (more: Partial<Mapped> = {}): Mapped => ({
  target_ref: 'locations',
  mappings: { name: 'c-name', lat: 'c-lat' },
  value_maps: {},
  identity_column: null,
  ...more,
});

describe('what a source says about the columns of its board', () => {
  const problems = (more: Partial<Mapped>) =>
    mappingProblems(mapped(more), COLUMNS).map(({ loc, msg, type }) => [loc.join('.'), msg, type]);
  const value = (loc: string, msg: string) => [`body.${loc}`, `Value error, ${msg}`, 'value_error'];

  test('fits the board', () => {
    expect(problems({})).toEqual([]);
    expect(
      problems({ identity_column: 'c-key', value_maps: { name: { North: 'N' }, lat: { none: null } } }),
    ).toEqual([]);
  });

  test('names every required field', () => {
    expect(problems({ mappings: { lat: 'c-lat' } })).toEqual([
      ['body.mappings.name', 'Field required', 'missing'],
    ]);
  });

  test('names fields and columns that there are, and that fit', () => {
    expect(
      problems({
        mappings: { name: 'c-name', no: 'c-name', kind: 'gone', lng: 'c-kind' },
        identity_column: 'gone',
      }),
    ).toEqual([
      value('mappings.no', 'locations have no such field'),
      value('mappings.kind', 'the board has no such column'),
      value('mappings.lng', 'the column cannot fill a field of type longitude'),
      value('identity_column', 'the board has no such column'),
    ]);
  });

  test('maps texts to values that the fields take', () => {
    const none = 'no column fills this field';
    expect(
      problems({
        value_maps: {
          kind: { a: 'b' },
          no: { a: 'b' },
          lat: { low: -90, high: 91, none: null },
          name: { x: null },
        },
      }),
    ).toEqual([
      value('value_maps.kind', none),
      value('value_maps.no', none),
      value('value_maps.lat.high', 'not a value of the field lat'),
      value('value_maps.name.x', 'not a value of the field name'),
    ]);
  });

  test('is a plan of what to read', () => {
    const plan = planOf(
      mapped({
        mappings: { name: 'c-name', lat: 'c-lat', kind: 'c-name' },
        value_maps: { kind: { ' Yard ': 'yard' } },
        identity_column: 'c-key',
      }),
      COLUMNS,
    );
    expect(plan).toEqual({
      target_ref: 'locations',
      identity_column: 'c-key',
      fields: [
        { field: targetField('locations', 'name'), column_id: 'c-name', type: 'text', values: new Map() },
        { field: targetField('locations', 'lat'), column_id: 'c-lat', type: 'number', values: new Map() },
        {
          field: targetField('locations', 'kind'),
          column_id: 'c-name',
          type: 'text',
          values: new Map([['yard', 'yard']]),
        },
      ],
      column_ids: ['c-name', 'c-lat', 'c-key'],
    });
    expect(planOf(mapped(), COLUMNS)!.column_ids).toEqual(['c-name', 'c-lat']);
    expect(planOf(mapped(), [])).toBeUndefined();
    expect(foldedText('  In Use ')).toBe('in use');
  });
});

describe('a row of a source', () => {
  const plan = (more: Partial<Mapped> = {}) => planOf(mapped(more), COLUMNS)!;
  const item = (values: Record<string, string>): Item =>
    ({
      id: 'i1',
      values: Object.entries(values).map(([column_id, text]) => ({ column_id, text })),
    }) as never;
  /** Reads numbers as a vendor does. */
  const read = ({ text }: { text: string | null }, type: FieldType) =>
    type === 'number' ? Number(text) : text;
  const row = (values: Record<string, string>, more?: Partial<Mapped>, how: typeof read = read) =>
    syncedRowOf(item(values), plan(more), how);
  const failed = (
    field: string | null,
    code: string,
    message: string,
    external_id: string | null = 'i1',
  ) => ({
    external_id,
    item_id: 'i1',
    error: { item_id: 'i1', field, code, message },
  });

  test('has the values of its fields, and a hash of these', () => {
    const values = { name: 'North', lat: 51.5 };
    const found = row({ 'c-name': ' North ', 'c-lat': '51.5', other: 'x' });
    expect(found).toEqual({ external_id: 'i1', item_id: 'i1', values, hash: hashOf(values) });
    expect(isFailed(found)).toBe(false);
    expect(hashOf(values)).toMatch(/^[\da-f]{24}$/);
    expect(hashOf({ lat: 51.5, name: 'North' })).toBe(hashOf(values));
    expect(hashOf({ ...values, lat: 51.6 })).not.toBe(hashOf(values));
  });

  test('has null where the item has nothing, or a map says so', () => {
    const maps = { value_maps: { lat: { none: null, Top: 90 } } };
    const lat = (text: string | undefined) => {
      const found = row(
        { 'c-name': 'N', ...(text !== undefined && { 'c-lat': text }) },
        maps,
        ({ text }, type) => (type === 'number' ? (text ? Number(text) : null) : text),
      );
      return 'values' in found && found.values['lat'];
    };
    expect([lat(undefined), lat(''), lat(' NONE '), lat('top'), lat('4')]).toEqual([null, null, null, 90, 4]);
    const kind = row({ 'c-name': 'N', 'c-kind': '  ' }, { mappings: { name: 'c-name', kind: 'c-kind' } });
    expect(kind).toMatchObject({ values: { kind: null } });
    const unread = row({ 'c-name': 'N', 'c-kind': 'x' }, { mappings: { name: 'c-name', kind: 'c-kind' } }, (({
      text,
    }: {
      text: string;
    }) => (text === 'x' ? null : text)) as never);
    expect(unread).toMatchObject({ values: { name: 'N', kind: null } });
  });

  test('has a number as a text where the field is one', () => {
    const asNumber = (() => 12) as never;
    expect(row({ 'c-name': '12' }, { mappings: { name: 'c-name' } }, asNumber)).toMatchObject({
      values: { name: '12' },
    });
  });

  test('is known by its identity column, if there is one', () => {
    const by = (key: string | undefined) =>
      row(
        { 'c-name': 'N', 'c-lat': '1', ...(key !== undefined && { 'c-key': key }) },
        { identity_column: 'c-key' },
      );
    expect(by(' K1 ')).toMatchObject({ external_id: 'K1', item_id: 'i1' });
    expect(by('k'.repeat(200))).toMatchObject({ external_id: 'k'.repeat(200) });
    const none = failed(null, 'no_identity', 'The item has no usable value in the identity column.', null);
    for (const key of [undefined, ' ', 'k'.repeat(201), 'a\u0007']) expect(by(key)).toEqual(none);
    expect(isFailed(by(' '))).toBe(true);
  });

  test('fails at the first field that does not take its value', () => {
    expect(row({ 'c-lat': '1' })).toEqual(
      failed('name', 'missing', 'The item has no value for the field name.'),
    );
    expect(row({ 'c-name': 'a\u0007', 'c-lat': '1' })).toEqual(
      failed('name', 'invalid', 'The value for the field name has characters that are no text.'),
    );
    expect(row({ 'c-name': 'N', 'c-lat': '91' })).toEqual(
      failed('lat', 'invalid', 'The value does not fit the field lat.'),
    );
  });

  test('of a person has a name and an address', () => {
    const person = (more: object) =>
      personRow({ id: 'p1', name: ' Ada ', email: 'ada@example.com', title: ' Lead ', ...more } as never);
    const values = { name: 'Ada', email: 'ada@example.com', position: 'Lead' };
    expect(person({})).toEqual({ external_id: 'p1', item_id: 'p1', values, hash: hashOf(values) });
    expect(person({ name: '', title: null })).toMatchObject({
      values: { name: 'ada@example.com', email: 'ada@example.com', position: null },
    });
    expect(person({ name: 'a'.repeat(201) })).toMatchObject({ values: { name: 'a'.repeat(200) } });
    for (const email of [null, ''])
      expect(person({ email })).toEqual({
        external_id: 'p1',
        item_id: 'p1',
        error: {
          item_id: 'p1',
          field: 'email',
          code: 'missing',
          message: 'The person has no email address.',
        },
      });
  });
});

describe('the schedule of a source', () => {
  const at = (text: string) => Date.parse(text);

  test('is counted from the last sync, and never less than a minute ahead', () => {
    const last = at('2027-03-14T10:00:00Z');
    expect(nextSyncAt(60, last, last)).toBe('2027-03-14T11:00:00.000Z');
    expect(nextSyncAt(60, last, at('2027-03-14T12:00:00Z'))).toBe('2027-03-14T12:01:00.000Z');
    expect(nextSyncAt(null, last, last)).toBeNull();
  });

  test('goes on five minutes after midnight where the calls of a day are used up', () => {
    expect(nextDayAt(at('2027-03-14T23:59:59.999Z'))).toBe('2027-03-15T00:05:00.000Z');
    expect(nextDayAt(at('2027-03-15T00:00:00.000Z'))).toBe('2027-03-16T00:05:00.000Z');
  });

  test('is warned of where it needs more than half of the calls of a day', () => {
    expect(scheduleWarning(60, 4, 192)).toBeNull();
    expect(scheduleWarning(60, 4, 191)).toBe(
      'The schedule needs about 96 requests a day; small plans of the vendor allow 191.',
    );
    expect(scheduleWarning(7, 1, 100)).toBe(
      'The schedule needs about 206 requests a day; small plans of the vendor allow 100.',
    );
    expect([scheduleWarning(null, 4, 1), scheduleWarning(60, 4, null)]).toEqual([null, null]);
  });
});

import * as z from 'zod';
import type { KeyEntry } from '../../infra/catalogue.ts';
import { pick } from '../../shared/base/fields.ts';
import { isMultipart } from '../../shared/http/operation/operation.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { scanPage } from '../../shared/table/scan.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { newIssue } from '../issues/fixtures.ts';
import { countChanges } from '../numbers/fixtures.ts';
import { cleanUp, newSchedule } from '../schedules/fixtures.ts';
import { type Answer, call, type Request } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type Scenario, scenariosOf } from '../support/scenarios.ts';
import { newLocation } from './scenarios.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

const NAMES: ReadonlySet<string> = new Set(['location_id', 'location_ids', 'within', 'into']);

/** Where an operation names a location: in its path, its query or its body. */
type Place = readonly ['params' | 'query' | 'body', ...string[]];

/** Places that are not followed. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  'deleteLocation params.location_id':
    'What was deleted by a former id would be a location that the caller may not mean.',
  'mergeLocation params.location_id':
    'A merged location is merged once: another one would take along a location that the caller may not mean.',
  'previewSchedule body.location_ids.[]': 'A preview reads no location.',
  'previewSchedule body.places.location_ids.[]': 'A preview reads no location.',
  'previewSchedule body.places.within': 'A preview reads no location.',
};

/** Lists in which a key finds nothing, whatever is there. */
const OF_MEMBERS: Readonly<Record<string, string>> = {
  listAssignedInspections: 'A key is assigned to no inspection.',
};

/** The places of ids that name locations within a schema. `[]` is an element of an array. */
const placesIn = (
  schema: z.core.JSONSchema.BaseSchema,
  isOfLocations: boolean,
  defs = schema.$defs ?? {},
  depth = 0,
): string[][] => {
  if (depth > 9) return [];
  const within = (part: unknown, ...names: string[]): string[][] =>
    part && typeof part === 'object'
      ? placesIn(part as z.core.JSONSchema.BaseSchema, isOfLocations, defs, depth + 1).map((each) => [
          ...names,
          ...each,
        ])
      : [];
  const { $ref, format, anyOf = [], allOf = [], oneOf = [], properties = {}, items } = schema;
  const found = [
    ...(format === 'uuid' ? [[]] : []),
    ...within($ref && defs[$ref.split('/').at(-1)!]),
    ...[...anyOf, ...allOf, ...oneOf].flatMap((part) => within(part)),
    ...Object.entries(properties).flatMap(([name, part]) => within(part, name)),
    ...within(items, '[]'),
  ];
  const unique = [...new Map(found.map((each) => [each.join('.'), each])).values()];
  if (depth > 0) return unique;
  return unique.filter((each) => {
    const name = each.findLast((part) => part !== '[]');
    return name !== undefined && (NAMES.has(name) || (isOfLocations && name === 'parent_id'));
  });
};

const placesOf = ({ area, operation }: KeyEntry): Place[] => {
  const { params, query, body } = operation;
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = { params, query, body }[part];
    if (!schema || isMultipart(schema)) return [];
    const json = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
    return placesIn(json, area === 'locations').map((each): Place => [part, ...each]);
  });
};

const valueAt = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (name === undefined || value === undefined || value === null) return value;
  return valueAt(name === '[]' ? [value].flat()[0] : (value as Record<string, unknown>)[name], rest);
};

const withValue = (value: unknown, [name, ...rest]: readonly string[], id: string): unknown => {
  if (name === undefined) return id;
  if (name === '[]') return [withValue(Array.isArray(value) ? value[0] : undefined, rest, id)];
  const fields = (value ?? {}) as Record<string, unknown>;
  return { ...fields, [name]: withValue(fields[name], rest, id) };
};

/** The rows of an organization that hold an id. */
const rowsWith = async ({ caller }: Person, id: string): Promise<string[]> => {
  const { rows } = await scanPage(undefined, 10_000, caller.org_id);
  return rows.filter((row) => JSON.stringify(row).includes(id)).map(({ pk, sk }) => `${pk} ${sk}`);
};

/** A reply, without the time at which numbers were read. */
const shownOf = ({ status, text }: Answer) => [status, text.replace(/"as_of":"[^"]*"/, '')];

const outcome = ({ status, body }: Answer) => [status, status < 300 ? '' : body];

/** A request that names a location, and who sends it. */
interface Named {
  person: Person;
  request: Omit<Request, 'as'>;
  standing: string;
  /** Whether its scenario names it. */
  isOwn: boolean;
}

/** Something of each kind at a location. */
const fill = async (person: Person, location_id: string): Promise<void> => {
  const inspection = await startedInspection(person, { location_id });
  await newAction(person, {}, await newFinding(person, {}, inspection));
  await person.reports.create({ params: { inspection_id: inspection.id } });
  await newIssue(person, { location_id });
  await newAsset(person, { location_id });
  await newSchedule(person, { location_ids: [location_id] });
  await countChanges(person);
};

/**
 * A request that names a location which is there: what a scenario names, or else a location of its own. A list has no
 * other filter than it must have.
 */
const namedIn = async ({ operation }: KeyEntry, scenario: Scenario, place: Place): Promise<Named> => {
  const person = await newPerson('Follower');
  const request = await scenario(person);
  const own = valueAt(request, place);
  const isOwn = typeof own === 'string';
  const standing = isOwn ? own : (await newLocation(person, { name: 'Standing' })).id;
  if (place[0] !== 'query') {
    return { person, request: withValue(request, place, standing) as Named['request'], standing, isOwn };
  }
  const { client_account_id } = await person.locations.get({ params: { location_id: standing } });
  if (client_account_id === null) await fill(person, standing);
  const { required = [] } = z.toJSONSchema(operation.query!, { io: 'input', unrepresentable: 'any' });
  const query = pick(request.query ?? {}, required as never[]);
  return {
    person,
    request: withValue({ ...request, query }, place, standing) as Named['request'],
    standing,
    isOwn,
  };
};

/** A location that was merged into another one, by way of a third. */
const formerOf = async (person: Person, standing: string): Promise<Location> => {
  const { client_account_id } = await person.locations.get({ params: { location_id: standing } });
  const [first, second] = [
    await newLocation(person, { client_account_id }),
    await newLocation(person, { client_account_id }),
  ];
  await person.locations.merge({ params: { location_id: first.id }, body: { into: second.id } });
  await cleanUp(person);
  await person.locations.merge({ params: { location_id: second.id }, body: { into: standing } });
  await cleanUp(person);
  return first;
};

const cases = operationEntries()
  .filter(({ operation }) => operation.access !== 'person')
  .flatMap((entry) =>
    placesOf(entry).map((place) => [`${entry.operation.id} ${place.join('.')}`, entry, place] as const),
  );

test('each exception is a place of an operation', () => {
  expect(cases.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(NOT_FOLLOWED)));
});

test.each(cases.filter(([name]) => !(name in NOT_FOLLOWED)))(
  '%s follows a merge',
  async (_, entry, place) => {
    const { operation, area } = entry;
    const scenarios = scenariosOf(area).scenarios[operation.id]!;
    const isRead = operation.method === 'GET';
    const tried = await Promise.all(
      scenarios.map(async (scenario) => {
        const { person, request, ...named } = await namedIn(entry, scenario, place);
        return { scenario, ...named, answer: await call(entry, { as: person.key, ...request }) };
      }),
    );
    const sendable = tried.filter(({ answer }) => answer.status < 300);
    const best = sendable.find(({ isOwn }) => isOwn) ?? sendable[0];
    if (!best) throw new Error(JSON.stringify(tried.map(({ answer }) => outcome(answer))));
    const { person, request, standing } = await namedIn(entry, best.scenario, place);
    const former = await formerOf(person, standing);
    const before = await rowsWith(person, former.id);
    const named = withValue(request, place, former.id) as Named['request'];
    if (isRead) {
      const expected = await call(entry, { ...request, as: person.key });
      const followed = await call(entry, { as: person.key, ...named });
      expect(shownOf(followed)).toEqual(shownOf(expected));
      if (operation.id in OF_MEMBERS) return;
      const elsewhere = await newLocation(person);
      const other = withValue(request, place, elsewhere.id) as Named['request'];
      expect(shownOf(await call(entry, { ...other, as: person.key }))).not.toEqual(shownOf(expected));
      return;
    }
    const followed = await call(entry, { as: person.key, ...named });
    expect(outcome(followed)).toEqual([best.answer.status, '']);
    expect(followed.text).not.toContain(former.id);
    expect(await rowsWith(person, former.id)).toEqual(before);
    if (JSON.stringify(best.answer.body).includes(best.standing)) expect(followed.text).toContain(standing);
  },
);

import { batchesOf } from '../../base/batches.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { pick } from '../../base/fields.ts';
import type { Problem } from '../../base/problem.ts';
import type { Counting, Numbers, NumbersCell } from '../../domain/numbers/counting.ts';
import { monthIn, numbersOfAction, numbersOfFinding, plus } from '../../domain/numbers/counting.ts';
import { monthsBetween, quarterOf } from '../../domain/numbers/months.ts';
import {
  ACTION_RANKS,
  FINDING_RANKS,
  INSPECTION_RANKS,
  ordered,
  type Ordering,
  type Ranks,
} from '../../domain/numbers/order.ts';
import {
  actionEntries,
  answerEntries,
  type Entry,
  findingEntries,
  inspectionEntries,
  toActionNumbers,
  toFindingNumbers,
  toInspectionNumbers,
} from '../../domain/numbers/reading.ts';
import { above } from '../../domain/tree.ts';
import { type PlaceFilters, placesOf } from '../../places/locations/places.ts';
import { locationRecords } from '../../places/locations/records.ts';
import {
  type ActionSummary,
  type ActionSummaryQuery,
  type Dimension,
  type FindingNumbers,
  type FindingSummary,
  type FindingSummaryQuery,
  type Group,
  type InspectionGroups,
  isKept,
  MAX_GROUPS,
  MAX_MONTHS,
} from '../../schemas/numbers.ts';
import type { StoredNumbers } from '../../table/entities/numbers.ts';
import { standingFor } from '../../table/former-locations.ts';
import { type Key, keys } from '../../table/keys.ts';
import { monthBefore } from '../../table/months.ts';
import { waitingRows } from '../../table/outbox/outbox.ts';
import { getRow, getRows, queryRows, type Row } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { findAll as findActions } from '../corrective-actions/lists.ts';
import { findAll as findFindings } from '../findings/lists.ts';
import type { ListedUnder } from '../rows/part-lists.ts';
import { numbersIn, readZones } from './count.ts';
import { waitsToBeCounted } from './events.ts';

/*
 * Numbers are kept by place, client account, template family and month. Everything else is folded here: the tree of
 * locations, regions, quarters. So a location or region that moves takes its numbers along.
 */

/** What all numbers can be asked for with. */
interface NumbersQuery extends PlaceFilters, Ordering {
  group_by?: readonly Dimension[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  client_account_id?: readonly string[] | undefined;
  template_family_id?: readonly string[] | undefined;
}

interface Period {
  from: string;
  to: string;
}

const problem = (name: string, msg: string, input: unknown): Problem => ({
  loc: ['query', name],
  type: 'value_error',
  msg: `Value error, ${msg}`,
  input,
});

/** Months before the last one, when a request names no first one. */
const USUAL_MONTHS = 11;

/** @throws ApiError 422 for months in the wrong order, or too many of them */
const periodOf = async (caller: Caller, query: NumbersQuery): Promise<Period> => {
  const organization = query.to === undefined && (await getRow(caller, keys.organization(caller)));
  const timezone = (organization && organization.timezone) || 'UTC';
  const to = query.to ?? monthIn(timezone, new Date().toISOString());
  const from = query.from ?? monthBefore(to, USUAL_MONTHS);
  const months = monthsBetween(from, to) + 1;
  if (months < 1) throw errors.validationFailed([problem('from', 'from is after to', from)]);
  if (months > MAX_MONTHS)
    throw errors.validationFailed([
      problem('from', `from is more than ${MAX_MONTHS} months before to`, from),
    ]);
  return { from, to };
};

/** How far the numbers are: up to the oldest change that waits to be counted, or else up to now. Two calls. */
const readAsOf = async (caller: Caller): Promise<string | null> => {
  const now = new Date().toISOString();
  const state = await getRow(caller, keys.numbersState(caller));
  if (!state?.is_whole) return null;
  for await (const row of waitingRows(caller))
    if (waitsToBeCounted(row) !== undefined) return row.occurred_at;
  return now;
};

/** Cells of one request: 50 to 150 calls, and a few seconds. */
const MAX_CELLS = 100_000;

/** Cells that are found by an index, and read one by one. One call reads 100. */
const MAX_INDEXED = 500;

/** Locations or client accounts that an index is asked for. */
const MAX_ASKED = 5;

/** The key of a row of numbers as a cell. Names of nothing are `NONE`. */
const cellOf = ({ pk, sk }: Key, what: Counting): NumbersCell => {
  const [month, location, client, family] = sk.split('#') as [string, string, string, string?];
  const idOf = (text: string) => (text === 'NONE' ? null : text);
  return {
    month,
    location_id: idOf(location),
    client_account_id: idOf(client),
    template_family_id: what === 'ANSWERS' ? pk.slice(pk.lastIndexOf('#') + 1) : family!,
  };
};

/** What is counted somewhere. */
interface Counted {
  cell: NumbersCell;
  numbers: Numbers;
}

interface Reading {
  caller: Caller;
  what: Counting;
  query: NumbersQuery;
  period: Period;
  /** The ids of the locations that the query names; undefined for all. */
  places: ReadonlySet<string> | undefined;
}

const rangeOf = ({ from, to }: Period) => ({ after: from, upTo: `${to}#~` });

/**
 * The keys of the cells that an index has for the places or client accounts of a query. Undefined where there are none
 * of these, or too many cells.
 */
const indexedKeys = async ({
  caller,
  what,
  query,
  period,
  places,
}: Reading): Promise<Key<StoredNumbers>[] | undefined> => {
  const [by, index, values] = places
    ? (['LOCATION', 'by_location', [...places]] as const)
    : (['CLIENT', 'by_client', query.client_account_id] as const);
  if (!values || values.length > MAX_ASKED) return undefined;
  const found: Key<StoredNumbers>[] = [];
  for (const value of new Set(values)) {
    const partition = keys.numbersWith(caller, by, what, value);
    const pageSize = MAX_INDEXED + 1;
    for await (const { pk, sk } of queryRows(caller, { partition, index, ...rangeOf(period), pageSize }))
      if (found.push({ pk, sk }) > MAX_INDEXED) return undefined;
  }
  return found;
};

/** The cells of a period, from an index or by a range of months. One call for a megabyte or thousand of them. */
const cells = async function* (reading: Reading): AsyncGenerator<Row<StoredNumbers>> {
  const { caller, what, query, period } = reading;
  const indexed = await indexedKeys(reading);
  if (indexed) {
    for (const row of await getRows(caller, indexed)) if (row) yield row;
    return;
  }
  const partitions =
    what === 'ANSWERS'
      ? query.template_family_id!.map((id) => keys.answerNumbers.partition(caller, id))
      : [keys.numbers.partition(caller, what)];
  for (const partition of new Set(partitions)) yield* queryRows(caller, { partition, ...rangeOf(period) });
};

const tooMuch = ({ from }: Period) =>
  errors.validationFailed([
    problem('from', 'there is too much in these months; name fewer of them, or fewer places', from),
  ]);

/** The cells that pass the filters, with their numbers. @throws ApiError 422 when there are too many */
const wantedCells = async function* (reading: Reading): AsyncGenerator<Counted> {
  const { what, query, places, period } = reading;
  const clients = query.client_account_id && new Set(query.client_account_id);
  const families = query.template_family_id && new Set(query.template_family_id);
  let read = 0;
  for await (const row of cells(reading)) {
    read += 1;
    if (read > MAX_CELLS) throw tooMuch(period);
    const cell = cellOf(row, what);
    const isWanted =
      (!places || (cell.location_id !== null && places.has(cell.location_id))) &&
      (!clients || (cell.client_account_id !== null && clients.has(cell.client_account_id))) &&
      (!families || families.has(cell.template_family_id));
    if (isWanted) yield { cell, numbers: numbersIn(row) };
  }
};

/** A location, as far as numbers are folded by it. */
interface Place {
  id: string;
  name: string;
  parent_id: string | null;
  region_id?: string | null;
}

/** The locations of the organization. One call for a thousand; none where nothing is grouped by them. */
const readPlaces = async (
  caller: Caller,
  { group_by = [] }: NumbersQuery,
): Promise<ReadonlyMap<string, Place>> => {
  const isNeeded = group_by.some((name) => name === 'location' || name === 'branch' || name === 'region');
  if (!isNeeded) return new Map();
  const places = new Map<string, Place>();
  const only = ['id', 'name', 'parent_id', 'region_id'] as const;
  for await (const row of queryRows(caller, { partition: keys.locationByName.partition(caller), only }))
    places.set(row.id, row);
  return places;
};

/** The location directly below another one, or the topmost one, that something is at or below. */
const branchOf = (places: ReadonlyMap<string, Place>, id: string, within: string | undefined): string => {
  const place = places.get(id);
  if (!place || id === within) return id;
  const chain = [place, ...above(places, place)];
  const end = chain.findIndex((each) => each.id === within);
  return (end > 0 ? chain[end - 1] : chain.at(-1))!.id;
};

/** What numbers are folded with. */
interface Folding {
  places: ReadonlyMap<string, Place>;
  /** The location whose branches are asked for. */
  within: string | undefined;
}

/** The values of the dimensions that follow from a cell. */
const VALUES: { readonly [Name in Dimension]?: (cell: NumbersCell, folding: Folding) => string | null } = {
  location: ({ location_id }) => location_id,
  branch: ({ location_id }, { places, within }) => location_id && branchOf(places, location_id, within),
  region: ({ location_id }, { places }) => (location_id && places.get(location_id)?.region_id) ?? null,
  client_account: ({ client_account_id }) => client_account_id,
  template_family: ({ template_family_id }) => template_family_id,
  month: ({ month }) => month,
  quarter: ({ month }) => quarterOf(month),
  year: ({ month }) => month.slice(0, 4),
};

/** A group of numbers: the values of the dimensions, in their order. */
interface Folded {
  values: (string | null)[];
  numbers: Numbers;
}

/** Folds numbers into groups. */
class Groups {
  readonly groups = new Map<string, Folded>();
  totals: Numbers = {};
  readonly #dimensions: readonly Dimension[];
  readonly #folding: Folding;

  constructor(dimensions: readonly Dimension[], folding: Folding) {
    this.#dimensions = dimensions;
    this.#folding = folding;
  }

  add(cell: NumbersCell, { by, add }: Entry): void {
    this.totals = plus(this.totals, add);
    if (this.#dimensions.length === 0) return;
    const values = this.#dimensions.map((name) => VALUES[name]?.(cell, this.#folding) ?? by[name] ?? null);
    const key = values.join(' ');
    const group = this.groups.get(key) ?? { values, numbers: {} };
    this.groups.set(key, { values, numbers: plus(group.numbers, add) });
    if (this.groups.size > MAX_GROUPS)
      throw errors.validationFailed([
        problem(
          'group_by',
          `there are more than ${MAX_GROUPS} groups; name fewer dimensions or months`,
          null,
        ),
      ]);
  }
}

/** Kinds of resources whose names groups show. */
const KINDS = { region: 'REGION', client_account: 'CLIENT', template_family: 'FAMILY' } as const;

/** The names of the questions of these families, as they are asked now. */
const fieldNames = async (caller: Caller, familyIds: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  const families = await getRows(
    caller,
    familyIds.map((id) => keys.one(caller, 'FAMILY', id)),
  );
  for (const family of families) {
    if (!family?.current) continue;
    const { fields } = await contentOf(caller, family.current.template_id, family.current.content_hash);
    for (const [id, { field }] of fields) names.set(id, field.label);
  }
  return names;
};

/** The names of the values of a dimension. */
const namesOf = async (
  caller: Caller,
  dimension: Dimension,
  ids: readonly string[],
  query: NumbersQuery,
  places: ReadonlyMap<string, Place>,
): Promise<(id: string) => string | null> => {
  if (dimension === 'location' || dimension === 'branch') return (id) => places.get(id)?.name ?? null;
  if (dimension === 'field') {
    const names = await fieldNames(caller, query.template_family_id ?? []);
    return (id) => names.get(id) ?? null;
  }
  const kind = KINDS[dimension as keyof typeof KINDS];
  const rows = await getRows(
    caller,
    ids.map((id) => keys.one(caller, kind, id)),
  );
  const names = new Map(ids.map((id, position) => [id, rows[position]?.name]));
  return (id) => names.get(id) ?? null;
};

const isNamed = (name: Dimension): boolean =>
  name === 'location' || name === 'branch' || name === 'field' || name in KINDS;

/** Sorted by the dimensions, names as people sort them; what belongs to nothing comes last. */
const LAST = '\u{10FFFF}';

/** How the numbers of a reply are shown, and sorted. */
interface Showing<Shown> {
  toShown: (numbers: Numbers) => Shown;
  ranks: Ranks<Shown, string>;
}

/** The groups as a reply shows them. Calls: one for 100 names of each dimension. */
const shownGroups = async <Shown>(
  caller: Caller,
  query: NumbersQuery,
  all: readonly Folded[],
  places: ReadonlyMap<string, Place>,
  { toShown, ranks }: Showing<Shown>,
): Promise<{ by: Group; numbers: Shown }[]> => {
  const dimensions = query.group_by ?? [];
  const shown = all.map(({ values, numbers }) => ({ values, numbers: toShown(numbers) }));
  // Only the names of what is shown are read.
  const folded = query.sort === undefined ? shown : ordered(shown, ranks, query);
  const namers = await Promise.all(
    dimensions.map(async (dimension, position) => {
      const ids = [...new Set(folded.flatMap(({ values }) => values[position] ?? []))];
      return isNamed(dimension) ? namesOf(caller, dimension, ids, query, places) : undefined;
    }),
  );
  const rows = folded.map(({ values, numbers }) => {
    const names = values.map((value, position) => (value === null ? null : namers[position]?.(value)));
    const by = Object.fromEntries(
      dimensions.map((dimension, position) => {
        const value = values[position]!;
        return [
          dimension,
          isNamed(dimension) && value !== null ? { id: value, name: names[position] } : value,
        ];
      }),
    ) as Group;
    const order = values.map((value, position) => (value === null ? LAST : (names[position] ?? value)));
    return { order, group: { by, numbers } };
  });
  if (query.sort !== undefined) return rows.map(({ group }) => group);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return rows
    .toSorted((a, b) => {
      for (const [position, text] of a.order.entries()) {
        const compared = compare(text, b.order[position]!);
        if (compared !== 0) return compared;
      }
      return 0;
    })
    .slice(0, query.limit)
    .map(({ group }) => group);
};

/** The location that branches are counted below. One call for one that was merged, and one for each merge. */
const topOf = async (
  caller: Caller,
  { group_by = [], within }: NumbersQuery,
  places: ReadonlyMap<string, Place>,
): Promise<string | undefined> => {
  if (within === undefined || places.has(within) || !group_by.includes('branch')) return within;
  return (await standingFor(caller, await locationRecords.find(caller, within)))?.id;
};

/** Where numbers come from, and how they become entries. */
interface Source {
  read: (period: Period) => AsyncIterable<Counted>;
  entriesOf: (numbers: Numbers) => Iterable<Entry>;
}

/** The numbers that are kept. */
const kept = (
  caller: Caller,
  what: Counting,
  query: NumbersQuery,
  entriesOf: Source['entriesOf'],
): Source => ({
  read: async function* (period) {
    yield* wantedCells({ caller, what, query, period, places: await placesOf(caller, query) });
  },
  entriesOf,
});

/** Rows whose time zones are read together. */
const READ_TOGETHER = 50;

/** Rows of one request that are counted one by one: some hundred calls, and some seconds. */
const MAX_ROWS = 10_000;

/** More than any time zone is ahead of UTC or behind it, in milliseconds. */
const DAY_MS = 86_400_000;

/** The filters of a list by the time of creation. */
interface Created {
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** These, and so close to some months that they select all of these in any time zone, and little else. */
const createdIn = ({ from, to }: Period, { created_after = '', created_before = '~' }: Created) => {
  const [first, end] = [Date.parse(from) - DAY_MS, Date.parse(monthBefore(to, -1)) + DAY_MS].map((at) =>
    new Date(at).toISOString(),
  ) as [string, string];
  return {
    created_after: created_after > first ? created_after : first,
    created_before: created_before < end ? created_before : end,
  };
};

/** The numbers of the rows of a list, for filters by which none are kept. A row counts in the month of its creation. */
const ofRows = <Shown extends { created_at: string }>(
  caller: Caller,
  query: Created,
  list: (created: Created) => AsyncIterable<ListedUnder<Shown>>,
  numbersOf: (shown: Shown) => Numbers,
  entriesOf: Source['entriesOf'],
): Source => ({
  read: async function* (period) {
    let count = 0;
    for await (const rows of batchesOf(list(createdIn(period, query)), READ_TOGETHER)) {
      count += rows.length;
      if (count > MAX_ROWS) throw tooMuch(period);
      const zoneOf = await readZones(
        caller,
        rows.map(({ under }) => under.location_id),
      );
      for (const { shown, under } of rows) {
        const month = monthIn(zoneOf(under.location_id), shown.created_at);
        if (month < period.from || month > period.to) continue;
        const cell = { month, ...pick(under, ['client_account_id', 'location_id', 'template_family_id']) };
        yield { cell, numbers: numbersOf(shown) };
      }
    }
  },
  entriesOf,
});

const summarize = async <Shown>(
  caller: Caller,
  query: NumbersQuery,
  sources: readonly Source[],
  readTime: (caller: Caller) => Promise<string | null>,
  isWanted: (entry: Entry) => boolean,
  showing: Showing<Shown>,
): Promise<Period & { as_of: string | null; totals: Shown; groups: { by: Group; numbers: Shown }[] }> => {
  const [period, as_of, places] = await Promise.all([
    periodOf(caller, query),
    readTime(caller),
    readPlaces(caller, query),
  ]);
  const groups = new Groups(query.group_by ?? [], { places, within: await topOf(caller, query, places) });
  for (const { read, entriesOf } of sources)
    for await (const { cell, numbers } of read(period))
      for (const entry of entriesOf(numbers)) if (isWanted(entry)) groups.add(cell, entry);
  return {
    as_of,
    ...period,
    totals: showing.toShown(groups.totals),
    groups: await shownGroups(caller, query, [...groups.groups.values()], places, showing),
  };
};

const everything = (): boolean => true;

/**
 * Numbers of inspections. Calls: some for the filters and names, and one for a megabyte or thousand cells: a cell is a
 * month of a template family at a location, however many inspections it counts.
 * @throws ApiError 422 for a period that is too long, or has too much in it
 */
export const ofInspections = (caller: Caller, query: NumbersQuery): Promise<InspectionGroups> => {
  const now = Date.now();
  const source = kept(caller, 'INSPECTION', query, (numbers) => inspectionEntries(numbers, now));
  return summarize(caller, query, [source], readAsOf, everything, {
    toShown: toInspectionNumbers,
    ranks: INSPECTION_RANKS,
  });
};

/** Rows of a list are read as they are now. */
const readNow = async (): Promise<string> => new Date().toISOString();

const isOneOf = (wanted: readonly string[] | undefined, value: string | null | undefined): boolean =>
  !wanted || (typeof value === 'string' && wanted.includes(value));

/**
 * Numbers of findings, and of answers where these are grouped by their questions. With filters by which no numbers are
 * kept, the findings are counted one by one, with the calls of their list.
 * @throws ApiError as `ofInspections`
 */
export const ofFindings = (caller: Caller, query: FindingSummaryQuery): Promise<FindingSummary> => {
  const showing = (hasAnswers: boolean): Showing<FindingNumbers> => ({
    toShown: (numbers) => toFindingNumbers(numbers, hasAnswers),
    ranks: FINDING_RANKS,
  });
  if (!isKept('findings', query)) {
    const source = ofRows(
      caller,
      query,
      (created) => findFindings(caller, { ...query, ...created, limit: undefined }),
      (finding) => numbersOfFinding(finding, finding.repeat !== null),
      findingEntries,
    );
    return summarize(caller, query, [source], readNow, everything, showing(false));
  }
  const { group_by, field_id, severity, status } = query;
  const hasAnswers =
    group_by !== undefined &&
    group_by.includes('field') &&
    !group_by.some((name) => name === 'severity' || name === 'status') &&
    severity === undefined &&
    status === undefined;
  return summarize(
    caller,
    query,
    [
      kept(caller, 'FINDING', query, findingEntries),
      ...(hasAnswers ? [kept(caller, 'ANSWERS', query, answerEntries)] : []),
    ],
    readAsOf,
    ({ by }) => isOneOf(field_id, by.field) && isOneOf(severity, by.severity) && isOneOf(status, by.status),
    showing(hasAnswers),
  );
};

/** Numbers of corrective actions, kept or counted as those of findings. @throws ApiError as `ofInspections` */
export const ofActions = (caller: Caller, query: ActionSummaryQuery): Promise<ActionSummary> => {
  const now = Date.now();
  const entriesOf = (numbers: Numbers) => actionEntries(numbers, now);
  const showing = { toShown: toActionNumbers, ranks: ACTION_RANKS };
  if (!isKept('corrective_actions', query)) {
    const list = (created: Created) => findActions(caller, { ...query, ...created, limit: undefined });
    const source = ofRows(caller, query, list, numbersOfAction, entriesOf);
    return summarize(caller, query, [source], readNow, everything, showing);
  }
  const { status, priority } = query;
  return summarize(
    caller,
    query,
    [kept(caller, 'ACTION', query, entriesOf)],
    readAsOf,
    ({ by }) => isOneOf(status, by.status) && isOneOf(priority, by.priority),
    showing,
  );
};

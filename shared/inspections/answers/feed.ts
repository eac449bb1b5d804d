import { batchesOf } from '../../base/batches.ts';
import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import type { Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { isChoice, isMedia } from '../../domain/content/content-index.ts';
import { namedText } from '../../domain/content/piping.ts';
import { isEmpty } from '../../domain/content/values/answer.ts';
import { chosenOptions } from '../../domain/content/values/choices.ts';
import {
  type AnswerFeedQuery,
  type AnswerFeedRow,
  FedAnswer,
} from '../../schemas/inspections/answer-feed.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import type { ChangedAnswers } from '../../table/entities/machinery.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, readCursor, writeCursor } from '../../table/listing.ts';
import { firstNumberFrom } from '../../table/outbox/list-events.ts';
import { getRow, queryRows, readRows, type Row } from '../../table/rows.ts';
import { placeKeys, PresentNames } from '../rows/present-names.ts';
import { recordsIn, toRecord } from './lists.ts';
import { inspectionKeys, LoadedRows } from './loaded-rows.ts';

/*
 * The answers to a template family, for those who keep a copy of them. At first come all of them, inspection by
 * inspection; then, in the order of the events, those of every inspection that an event was about, as they are now. What
 * one answer changes in others, such as results, scores and hidden questions, comes with it.
 *
 * Events are numbered in one order whatever the clocks say, and a change comes under the number of its event. So a
 * change that was made while somebody reads comes later once more, and none is missed.
 */

const LIST = 'ANSWER_FEED';

/**
 * What one page may take.
 *
 * - `inspections`: those that it looks at; most may have no answers.
 * - `changes`: those whose inspections are found together. Of several changes of one inspection, the last one counts.
 * - `bytes`: of its rows, as JSON: a reply's 6 MB (AWS Lambda quotas), less room for the largest row.
 */
export const FEED_PAGE = { inspections: 500, changes: 1_000, bytes: 3_500_000 };

/** Inspections and answers whose rows and names are read together. */
const READ_TOGETHER = 25;

/** Where a page has ended. */
interface Position {
  /** While all inspections are read: the number of the event from which on changes follow, and when it was recorded. */
  all?: { last: number; recorded_at: string } | undefined;
  /** The last inspection, or the number of the last change, of which everything was read. */
  after?: string | number | undefined;
  /** The one of which a part was read, and the last row of this part. */
  within?: { unit: string | number; row: string } | undefined;
}

/** An inspection whose answers come next. */
interface Unit {
  inspection_id: string;
  recorded_at: string;
  /** Its id, or the number of the change. */
  unit: string | number;
  all?: Position['all'];
  /** Whether its answers are as they are now. Otherwise a later change has them. */
  isLast: boolean;
  gone: NonNullable<ChangedAnswers['gone']>;
}

/** When the last event was recorded before there was any. */
const BEGINNING = new Date(0).toISOString();

const positionIn = (caller: Caller, query: AnswerFeedQuery): Position | undefined => {
  const text = readCursor(caller, LIST, query);
  return text === undefined ? undefined : (JSON.parse(text) as Position);
};

/** From a time on while changes are kept for as long; else with all inspections. */
const startOf = async (caller: Caller, { updated_since }: AnswerFeedQuery): Promise<Position> => {
  const { last = 0, recorded_at = BEGINNING } = (await getRow(caller, keys.eventSequence(caller))) ?? {};
  if (updated_since !== undefined) {
    const first = await firstNumberFrom(caller, updated_since, last);
    const isKept = first === 1 || (await getRow(caller, keys.event(caller, first - 1))) !== undefined;
    if (isKept) return { after: first - 1 };
  }
  // The index of inspections may lag behind the last events, so those of a minute before are read as changes, too.
  const begun = (await firstNumberFrom(caller, recorded_at, last)) - 1;
  return { all: { last: begun, recorded_at } };
};

/** All inspections of the family, in the order of their creation. */
const allInspections = async function* (
  caller: Caller,
  family: string,
  { all, after, within }: Position,
): AsyncGenerator<Unit> {
  const { recorded_at } = all!;
  const of = (id: string): Unit => ({
    inspection_id: id,
    recorded_at,
    unit: id,
    all,
    isLast: true,
    gone: [],
  });
  if (within) yield of(String(within.unit));
  const rows = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'FAMILY', family),
    index: 'by_family',
    after: within ? String(within.unit) : (after as string | undefined),
    pageSize: FEED_PAGE.inspections,
  });
  for await (const { sk } of rows) yield of(sk);
};

/** The inspections that changed since a time, in the order of the events. @param since ISO 8601 in UTC */
const changedInspections = async function* (
  caller: Caller,
  family: string,
  { after, within }: Position,
  since: string,
): AsyncGenerator<Unit> {
  let from = Number(within ? Number(within.unit) - 1 : after);
  for (;;) {
    const changes: Row<ChangedAnswers>[] = [];
    const rows = queryRows(caller, {
      partition: keys.changedAnswers.partition(caller, family),
      after: keys.changedAnswers(caller, family, from).sk,
      pageSize: FEED_PAGE.changes,
    });
    for await (const row of rows) if (changes.push(row) === FEED_PAGE.changes) break;
    const lastOf = new Map(changes.map(({ inspection_id, sequence }) => [inspection_id, sequence]));
    for (const { inspection_id, recorded_at, sequence, gone = [] } of changes) {
      const isLast = lastOf.get(inspection_id) === sequence;
      if (recorded_at >= since && (isLast || gone.length > 0))
        yield { inspection_id, recorded_at, unit: sequence, isLast, gone };
    }
    if (changes.length < FEED_PAGE.changes) return;
    from = changes.at(-1)!.sequence;
  }
};

const unitsFrom = async function* (
  caller: Caller,
  { template_family_id: family, updated_since }: AnswerFeedQuery,
  position: Position,
): AsyncGenerator<Unit> {
  const { all } = position;
  if (all) yield* allInspections(caller, family, position);
  const since = all || updated_since === undefined ? '' : new Date(updated_since).toISOString();
  yield* changedInspections(caller, family, all ? { after: all.last } : position, since);
};

/** What the rows of one page have in common, each read once. */
class Page {
  readonly #caller: Caller;
  readonly #names = new PresentNames();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async #learn(wanted: Parameters<PresentNames['unknown']>[0]): Promise<void> {
    const unknown = this.#names.unknown(wanted);
    if (unknown.length > 0) this.#names.learn(unknown, await readRows(this.#caller, unknown));
  }

  /** Reads the names of what these inspections are of. */
  learnPlaces(inspections: readonly StoredInspection[]): Promise<void> {
    return this.#learn(inspections.flatMap((inspection) => placeKeys(this.#caller, inspection)));
  }

  #namedKey({ index }: Evaluation, { field_id, value }: StoredAnswer) {
    const { type } = index.fields.get(field_id)!.field;
    if (typeof value !== 'string') return undefined;
    if (type === 'member') return keys.one(this.#caller, 'MEMBER', value);
    if (type === 'client_account') return keys.one(this.#caller, 'CLIENT', value);
    return type === 'location' ? keys.one(this.#caller, 'LOCATION', value) : undefined;
  }

  /** Reads the names that these answers show. */
  learnAnswers(evaluation: Evaluation, records: readonly StoredAnswer[]): Promise<void> {
    return this.#learn(records.map((record) => this.#namedKey(evaluation, record)));
  }

  /** The row of an answer. */
  rowOf(
    inspection: StoredInspection,
    evaluation: Evaluation,
    record: StoredAnswer,
    recorded_at: string,
  ): Presented<FedAnswer> {
    const { index } = evaluation;
    const { section, field } = index.fields.get(record.field_id)!;
    const { value } = record;
    const named = this.#names.of(this.#namedKey(evaluation, record));
    const names = new Map(named ? [[String(value), named.name]] : []);
    return present(FedAnswer, toRecord(evaluation, record), {
      kind: 'answer',
      inspection_id: inspection.id,
      ...this.#names.around(this.#caller, inspection),
      inspection: pick(inspection, [
        'id',
        'number',
        'name',
        'status',
        'template_id',
        'scheduled_for',
        'completed_at',
      ]),
      section_title: section.title,
      field_label: field.label,
      field_type: field.type,
      unit: field.unit || null,
      label: isEmpty(value) || isMedia(field) ? null : namedText(index, names)(field, value),
      labels:
        isChoice(field) && !isEmpty(value)
          ? chosenOptions(field, index, value).map(({ label }) => label)
          : null,
      recorded_at,
    });
  }
}

const deleted = (
  { inspection_id, recorded_at }: Unit,
  gone: Partial<Unit['gone'][number]> = {},
): AnswerFeedRow => ({
  kind: 'deleted',
  inspection_id,
  id: null,
  section_id: null,
  field_id: null,
  instance_path: null,
  ...gone,
  recorded_at,
});

/** A row of the feed, with its place among the rows of its inspection. */
interface Placed {
  place: string;
  row: AnswerFeedRow;
}

/** The rows of the answers of one inspection, behind a sort key. */
const answerRows = async function* (
  caller: Caller,
  page: Page,
  loaded: LoadedRows,
  { inspection_id, recorded_at }: Unit,
  after: string | undefined,
): AsyncGenerator<Placed> {
  const inspection = loaded.get(keys.one(caller, 'INSPECTION', inspection_id))!;
  const { evaluation, records } = await recordsIn(caller, loaded, inspection, { after });
  let batch: Row<StoredAnswer>[] = [];
  const rows = async function* (): AsyncGenerator<Placed> {
    await page.learnAnswers(evaluation, batch);
    for (const record of batch)
      yield { place: record.sk, row: page.rowOf(inspection, evaluation, record, recorded_at) };
    batch = [];
  };
  for await (const record of records) if (batch.push(record) === READ_TOGETHER) yield* rows();
  yield* rows();
};

/** What sorts before the records of answers, as all that is gone does. */
const GONE = '!';

/** The rows of one inspection, behind the last one that was read. */
const rowsOf = async function* (
  caller: Caller,
  page: Page,
  loaded: LoadedRows,
  unit: Unit,
  after: string | undefined,
): AsyncGenerator<Placed> {
  for (const gone of unit.gone.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const place = `${GONE}${gone.id}`;
    if (after === undefined || after < place) yield { place, row: deleted(unit, gone) };
  }
  if (!unit.isLast) return;
  if (loaded.get(keys.one(caller, 'INSPECTION', unit.inspection_id))) {
    const last = after?.startsWith(GONE) ? undefined : after;
    yield* answerRows(caller, page, loaded, unit, last);
  } else if (!unit.all) yield { place: `${GONE}~`, row: deleted(unit) };
};

/**
 * A page of the feed, and the cursor of the next one. A page has no more rows than fit into a reply, and may have none
 * although more follow.
 */
export const readFeed = async (caller: Caller, query: AnswerFeedQuery): Promise<Listing<AnswerFeedRow>> => {
  const { limit } = query;
  const start = positionIn(caller, query) ?? (await startOf(caller, query));
  const page = new Page(caller);
  const rows: AnswerFeedRow[] = [];
  let [seen, bytes, position] = [0, 0, start];
  const next = (): Listing<AnswerFeedRow> => ({
    page: rows,
    next: writeCursor(caller, LIST, query, JSON.stringify(position)),
  });
  for await (const batch of batchesOf(unitsFrom(caller, query, start), Math.min(limit, READ_TOGETHER))) {
    const loaded = new LoadedRows(caller);
    const current = batch.filter(({ isLast }) => isLast);
    await loaded.load(current.flatMap(({ inspection_id }) => inspectionKeys(caller, inspection_id)));
    await page.learnPlaces(
      current.flatMap(({ inspection_id }) => loaded.get(keys.one(caller, 'INSPECTION', inspection_id)) ?? []),
    );
    for (const unit of batch) {
      if (seen === FEED_PAGE.inspections) return next();
      seen += 1;
      const after = start.within?.unit === unit.unit ? start.within.row : undefined;
      for await (const { place, row } of rowsOf(caller, page, loaded, unit, after)) {
        const size = JSON.stringify(row).length;
        if (rows.length === limit || (rows.length > 0 && bytes + size > FEED_PAGE.bytes)) return next();
        rows.push(row);
        bytes += size;
        position = { all: unit.all, after: position.after, within: { unit: unit.unit, row: place } };
      }
      position = { all: unit.all, after: unit.unit };
    }
  }
  return { page: rows };
};

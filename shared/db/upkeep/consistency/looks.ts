import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../base/caller.ts';
import { evaluate, hasLogic } from '../../../domain/content/conditions.ts';
import { progressOf } from '../../../domain/content/progress.ts';
import { isActionOpen } from '../../../domain/corrective-actions.ts';
import type { StoredAnswer } from '../../answers/answer-change.ts';
import { type AnswerState, answerStateWrite, tellsOf } from '../../inspection-core/answer-state.ts';
import type { StoredAction } from '../../inspection-core/corrective-action-record.ts';
import {
  indexed,
  rows as inspections,
  type StoredInspection,
  unchanged,
} from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import { type Condition, exists, hasValues, isAbsent } from '../../table/conditions.ts';
import { type ChildKind, type Key, keys } from '../../table/keys.ts';
import { Stale } from '../../table/retry.ts';
import { getRow, getRows, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { keyOf, type Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import {
  apart,
  type Difference,
  isAsFollows,
  isSame,
  mayBeMissing,
  named,
  type Reported,
} from './differences.ts';
import { followingOf, idsOf, rowsBelowInspection } from './following.ts';

/** A difference with what ends it; neither for one that nothing here can end. */
export interface Seen extends Difference {
  /** Attributes of the row that is looked at. */
  set?: Readonly<Record<string, unknown>>;
  writes?: readonly Write[];
}

/** What is seen of one row, and that it is as it was read: on that condition alone its differences are ended. */
export interface Look {
  key: Key;
  condition: Condition;
  /** Whether an edit of it is guarded by its version, so that this has to move as well. */
  isVersioned: boolean;
  seen: Seen[];
}

/**
 * Milliseconds between two looks at what seems to differ, longer than a transaction takes to be seen whole; and
 * how many are taken at a counter that moves.
 */
export const LOOKS = { pause: 250, most: 6 };

const isMendable = ({ set, writes }: Seen): boolean => set !== undefined || writes !== undefined;

const mending = ({ key, condition, isVersioned, seen }: Look): Write[] => {
  const set = Object.assign({}, ...seen.map((each) => each.set)) as Record<string, unknown>;
  const own =
    Object.keys(set).length > 0
      ? write.update(
          key,
          { set: { ...set, updated_at: new Date().toISOString() }, add: { version: isVersioned ? 1 : 0 } },
          condition,
        )
      : write.check(key, undefined, condition);
  return [own, ...seen.flatMap(({ writes = [] }) => writes)];
};

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Of what was seen before, that which is seen again. */
const again = (now: readonly Look[], before: readonly Look[]): Look[] => {
  const seenBefore = new Map(before.map((look) => [nameOf(look.key), look.seen]));
  return now.flatMap((look) => {
    const known = seenBefore.get(nameOf(look.key)) ?? [];
    const seen = look.seen.filter((each) => known.some((one) => isSame(difference(one), difference(each))));
    return seen.length > 0 ? [{ ...look, seen }] : [];
  });
};

const difference = ({ what, id, stored, found }: Seen): Difference => ({ what, id, stored, found });

/**
 * The differences that stand: what is seen on a second look as on the first was not a change on its way.
 * @param look at rows, anew each time it is called
 * @param repair whether to end them; each row's in a transaction on the condition that it is as it was read
 */
export const settled = async function* (
  caller: Caller,
  look: () => Promise<Look[]>,
  repair: boolean,
): AsyncGenerator<Reported> {
  const first = await look();
  if (first.every(({ seen }) => seen.length === 0)) return;
  await sleep(LOOKS.pause);
  for (const standing of again(await look(), first)) {
    const mendable = { ...standing, seen: standing.seen.filter(isMendable) };
    const ended =
      repair && mendable.seen.length > 0
        ? await change(caller, async () => {
            const [now] = again(await look(), [mendable]);
            return { writes: now ? mending(now) : [], reply: now?.seen ?? [] };
          })
        : [];
    for (const each of standing.seen) {
      const reported = difference(each);
      yield { ...reported, mended: ended.some((one) => isSame(difference(one), reported)) };
    }
  }
};

/** That a row is as it was read. */
const asRead = (caller: Caller, row: Row<object> | undefined): Condition => {
  if (!row) return isAbsent;
  if (row.pk === keys.all(caller, 'INSPECTION')) {
    return unchanged(row as Row<StoredInspection>, ['answers_revision', 'findings_revision']);
  }
  return 'version' in row ? hasValues({ version: row.version }) : exists;
};

const withoutKey = ({ pk: _pk, sk: _sk, ...values }: Row): Record<string, unknown> => values;

/** That a row holds what was read of it. */
const asStored = (row: Row): Condition => {
  const values = withoutKey(row);
  return Object.keys(values).length > 0 ? hasValues(values) : exists;
};

/** What is missing of the rows that follow from these, or is other than it should be. */
const missing = async (caller: Caller, rows: readonly Row<object>[]): Promise<Seen[][]> => {
  const now = new Date().toISOString();
  const following = rows.map((row) => followingOf(caller, row).rows);
  const stored = (await getRows<Row>(caller, following.flat().map(keyOf))).values();
  return following.map((those) =>
    those.flatMap((row): Seen[] => {
      const standing = stored.next().value;
      if (standing ? isAsFollows(standing, row) : mayBeMissing(row, now)) return [];
      const repair = standing ? write.replace(row, asStored(standing)) : write.create(row);
      return [
        {
          ...named(row),
          stored: standing ? withoutKey(standing) : null,
          // What it says of its telling depends on when it is looked at.
          found: withoutKey({ ...row, by_due_at: undefined }),
          writes: [repair],
        },
      ];
    }),
  );
};

/** Looks at rows of their own: whether all is there that follows from them. */
export const lookAtAll = async (caller: Caller, those: readonly Key[]): Promise<Look[]> => {
  const rows = (await getRows<object>(caller, those)).filter((row) => row !== undefined);
  const seen = await missing(caller, rows);
  return rows.map((row, position) => ({
    key: keyOf(row),
    condition: asRead(caller, row),
    isVersioned: true,
    seen: seen[position]!,
  }));
};

/** What an inspection's row says of its answers, by the content that it pins. */
const answersSeen = async (
  caller: Caller,
  inspection: StoredInspection,
  answers: readonly StoredAnswer[],
  state: Row<AnswerState> | undefined,
): Promise<{ progress: object; seen: Seen[] }> => {
  const { id, template_id, content_hash, start_answers } = inspection;
  try {
    const index = await contentOf(caller, template_id, content_hash);
    const progress = progressOf(evaluate(index, answers, start_answers));
    if (!hasLogic(index) || tellsOf(state, index, answers)) return { progress, seen: [] };
    const seen = {
      what: 'all answers, briefly',
      id,
      stored: state ? { version: state.version } : null,
      found: { answers: answers.length },
      writes: [answerStateWrite(caller, id, index, answers, state)],
    };
    return { progress, seen: [seen] };
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    return { progress: {}, seen: [{ what: "version's content", id, stored: null, found: { content_hash } }] };
  }
};

/** A row with what it says of those below it, as that should be. */
interface Counted {
  row: Row<{ id: string }>;
  what: string;
  values: Readonly<Record<string, unknown>>;
}

/** Looks at an inspection, and at all that stands below it. */
export const lookAtInspection = async (caller: Caller, id: string): Promise<Look[]> => {
  const inspection = await getRow<StoredInspection>(caller, inspections.key(caller, id));
  if (!inspection) return [];
  const below = Map.groupBy(
    await Array.fromAsync(rowsBelowInspection(caller, id)),
    ({ sk }) => sk.split('#')[0]!,
  );
  const of = <Resource>(kind: string) => (below.get(kind) ?? []) as Row<Resource>[];
  const actions = of<StoredAction>('ACTION');
  const actionsOf = Map.groupBy(actions, ({ finding_id }) => finding_id);
  const evidenceOf = Map.groupBy(
    of<{ stage: string }>('ATTACHMENT').filter(({ stage }) => stage === 'after'),
    ({ pk }) => pk,
  );
  const answered = await answersSeen(caller, inspection, of('ANSWER'), of<AnswerState>('ANSWERED')[0]);
  const findings = of<{ id: string }>('FINDING');
  const counted: Counted[] = [
    {
      row: inspection,
      what: 'inspection',
      values: {
        ...answered.progress,
        findings_count: findings.length,
        open_corrective_actions_count: actions.filter(({ status }) => isActionOpen(status)).length,
        ...indexed(caller, inspection),
      },
    },
    ...findings.map((row) => ({
      row,
      what: 'finding',
      values: { corrective_actions_count: actionsOf.get(row.id)?.length ?? 0 },
    })),
    ...actions.map((row) => ({
      row,
      what: 'corrective action',
      values: { evidence_count: evidenceOf.get(keys.below(caller, 'ACTION', row.id))?.length ?? 0 },
    })),
    ...of<{ id: string }>('REPORT').map((row) => ({ row, what: 'report', values: {} })),
  ];
  const absent = await missing(
    caller,
    counted.map(({ row }) => row),
  );
  return counted.map(({ row, what, values }, position) => {
    const wrong = apart(row, values);
    return {
      key: keyOf(row),
      condition: asRead(caller, row),
      isVersioned: row !== inspection,
      seen: [
        ...(wrong ? [{ what, id: row.id, ...wrong, set: wrong.found }] : []),
        ...(row === inspection ? answered.seen : []),
        ...absent[position]!,
      ],
    };
  });
};

/** What is wrong with a row that stands because of another one, given that. */
type Judgement = (
  row: Row,
  source: Row<object> | undefined,
) => Omit<Seen, 'what' | 'id' | 'stored'> | undefined;

/** Whether it follows from that one: a row that does not should not be there. */
const follows =
  (caller: Caller): Judgement =>
  (row, source) => {
    const isFollowed =
      source && followingOf(caller, source).rows.some(({ pk, sk }) => pk === row.pk && sk === row.sk);
    return isFollowed ? undefined : { found: null, writes: [write.remove(row, asStored(row))] };
  };

/** Whether a resource is closed for use when it is gone, and only then. */
const closes: Judgement = (row, source) => {
  const { closed, ...open } = row;
  if ((closed === true) === (source === undefined)) return undefined;
  const right = { ...open, ...(source ? {} : { closed: true }) };
  return { found: withoutKey(right), writes: [write.replace(right, asStored(row))] };
};

/** Rows that follow others: where they stand, and what each follows. */
export interface Followers {
  partition: string;
  prefix?: string;
  sourceOf: (row: Row) => Key;
  judge: Judgement;
}

/** Every partition in which rows stand that follow others, those that only a hash finds aside. */
export const followers = async function* (caller: Caller): AsyncGenerator<Followers> {
  const judge = follows(caller);
  const inspection = ({ sk }: Key) => inspections.key(caller, sk.split('#').at(-1)!);
  const child =
    (kind: ChildKind) =>
    ({ sk, inspection_id }: Row): Key =>
      keys.child(caller, String(inspection_id), kind, sk.split('#').at(-1)!);
  const location = ({ sk }: Key) => keys.one(caller, 'LOCATION', sk.split('\u0001').at(-1)!);

  yield { partition: keys.due(caller, '', '').pk, sourceOf: inspection, judge };
  yield { partition: keys.actionDue(caller, '', '').pk, sourceOf: child('ACTION'), judge };
  for (const kind of ['FINDING', 'ACTION', 'REPORT'] as const) {
    yield { partition: keys.reference(caller, kind, '').pk, sourceOf: child(kind), judge };
  }
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'MEMBER') })) {
    yield { partition: keys.assignment(caller, sk, '').pk, sourceOf: inspection, judge };
    yield { partition: keys.actionAssignment(caller, sk, '').pk, sourceOf: child('ACTION'), judge };
  }
  for await (const id of idsOf(caller, 'FAMILY')) {
    yield { partition: keys.below(caller, 'FAMILY', id), prefix: 'RUNNING#', sourceOf: inspection, judge };
  }
  yield { partition: keys.locationsByName(caller), sourceOf: location, judge };
  for await (const id of idsOf(caller, 'CLIENT')) {
    yield { partition: keys.locationsByName(caller, id), sourceOf: location, judge };
  }
  for (const kind of ['FAMILY', 'CLIENT', 'LOCATION'] as const) {
    const used = ({ sk }: Key) => keys.one(caller, kind, sk.split('#')[0]!);
    yield { partition: keys.usages(caller, kind), sourceOf: used, judge: closes };
  }
};

/** Looks at a row that follows another, and at that one. */
export const lookAtFollower = async (
  caller: Caller,
  key: Key,
  { sourceOf, judge }: Followers,
): Promise<Look[]> => {
  const row = await getRow<Row>(caller, key);
  if (!row) return [];
  const from = sourceOf(row);
  const source = await getRow<object>(caller, from);
  const wrong = judge(row, source);
  return [
    {
      key: from,
      condition: asRead(caller, source),
      isVersioned: false,
      seen: wrong ? [{ ...named(row), stored: withoutKey(row), ...wrong }] : [],
    },
  ];
};

import type { Caller } from '../../base/caller.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { FieldPlace } from '../../domain/content/content-index.ts';
import { shownDocuments, withoutDocuments } from '../../domain/content/shown-documents.ts';
import { isAnswered } from '../../domain/content/values.ts';
import { blockedMessage, unapproved } from '../../domain/inspections/workflow.ts';
import type {
  Correction,
  CorrectionQuery,
  Revision,
  RevisionPage,
  RevisionQuery,
} from '../../schemas/inspections/correction.ts';
import {
  type Attempt,
  fits,
  headers,
  newAttempt,
  newReader,
  nameOf,
  type StoredAnswer,
  writesOf,
} from '../answers/answer-change.ts';
import {
  carryOut,
  type Consequence,
  consequenceOf,
  findingKeys,
  noNumbers,
  numbersFor,
  rowsOf,
} from '../answers/answer-findings.ts';
import * as documents from '../documents/documents.ts';
import { countIn } from '../inspection-core/parts.ts';
import { rows as inspections, type StoredInspection, transition } from '../inspection-core/record.ts';
import { correctionStands, recordedIn, type StoredRevision } from '../inspection-core/revisions.ts';
import { notices } from '../inspections/notices.ts';
import { startedWith } from '../inspections/setup.ts';
import { judged, step } from '../inspections/steps.ts';
import { audienceIn, audienceKey } from '../notifications/audiences.ts';
import { change, changePart, type Decision } from '../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, pageOf, readCursor } from '../table/listing.ts';
import { emit } from '../table/outbox.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';

/** As stored: how many changes an open one has, its inspection knows. */
type StoredCorrection = Correction;

const NOUN = 'correction';
const { noun } = inspections;

const toCorrection = (
  stored: StoredCorrection,
  { active_correction_id, correction_revisions }: StoredInspection,
) => ({
  ...stored,
  revisions_count: stored.id === active_correction_id ? correction_revisions : stored.revisions_count,
});

const keyOf = (caller: Caller, { inspection_id, id }: Pick<Correction, 'inspection_id' | 'id'>) =>
  keys.correction(caller, inspection_id, id);

/** A correction with its inspection. @throws ApiError 404 */
const read = async (
  caller: Caller,
  inspectionId: string,
  id: string,
): Promise<{ inspection: StoredInspection; correction: StoredCorrection }> => {
  const [inspection, correction] = await getRows<object>(caller, [
    inspections.key(caller, inspectionId),
    keys.correction(caller, inspectionId, id),
  ]);
  if (!inspection) throw notFound(noun);
  if (!correction) throw notFound(NOUN);
  return {
    inspection: withoutKeys(inspection as Row<StoredInspection>),
    correction: withoutKeys(correction as Row<StoredCorrection>),
  };
};

type End = 'closing' | 'discarding';

const BEING = { closing: 'closed', discarding: 'discarded' } as const satisfies Record<End, string>;

/** @throws ApiError 409 for one that has ended, or that is on its way to the other end */
const expectOpenTo = (
  end: End,
  { status }: Correction,
  { correction_stage: stage }: StoredInspection,
): void => {
  if (status !== 'open') throw conflict(`${NOUN} is ${status}`);
  if (stage !== null && stage !== 'open' && stage !== end) throw conflict(`${NOUN} is being ${BEING[stage]}`);
};

/**
 * Sets a correction on its way to an end: from now on nothing more is saved in it, so the steps that follow all
 * speak of the same answers, and whoever comes after an interruption goes on with them.
 * @param check what else must hold of the inspection
 */
const embark = (
  caller: Caller,
  inspectionId: string,
  id: string,
  end: End,
  check: (inspection: StoredInspection) => Promise<void> = async () => {},
): Promise<void> =>
  changePart(caller, async () => {
    const { inspection, correction } = await read(caller, inspectionId, id);
    expectOpenTo(end, correction, inspection);
    if (inspection.correction_stage === end) return { writes: [], reply: undefined };
    await check(inspection);
    const next = nextVersion(inspection, { correction_stage: end });
    return { writes: transition(caller, inspection, next, { withAnswers: true }), reply: undefined };
  });

/** A correction's end, and the inspection without it. */
const ended = (
  caller: Caller,
  correction: StoredCorrection,
  inspection: StoredInspection,
  status: 'closed' | 'discarded',
): { next: StoredCorrection; write: Write; fields: Partial<StoredInspection> } => {
  const now = new Date().toISOString();
  const next: StoredCorrection = {
    ...correction,
    status,
    revisions_count: inspection.correction_revisions,
    closed_by: caller.user_id,
    closed_at: now,
    updated_at: now,
  };
  return {
    next,
    write: write.put({ ...keyOf(caller, correction), ...next }),
    fields: { active_correction_id: null, correction_stage: null, correction_revisions: 0 },
  };
};

const revisionsOf = (caller: Caller, inspectionId: string, id: string, more: object = {}) => {
  const { pk: partition, sk } = keys.revision(caller, inspectionId, id, 0);
  const prefix = sk.slice(0, sk.lastIndexOf('#') + 1);
  return queryRows<StoredRevision>(caller, { partition, prefix, ...more });
};

/** A field's answer in one instance, with the finding that it had led to when it was last changed. */
type Changed = Pick<StoredAnswer, 'field_id' | 'instance_path' | 'finding_id'>;

/** The answers that a correction has changed, by the sort keys of their records. */
const changedAnswers = async (
  caller: Caller,
  inspectionId: string,
  id: string,
): Promise<Map<string, Changed>> => {
  const changed = new Map<string, Changed>();
  for await (const row of revisionsOf(caller, inspectionId, id, { where: { answer_source: ['body'] } })) {
    const { revision, before } = recordedIn(row);
    const { field_id, instance_path } = revision;
    const { sk } = keys.answer(caller, inspectionId, field_id, instance_path);
    // A record that is taken away and made anew has forgotten its finding.
    const finding_id = (before as StoredAnswer | null)?.finding_id ?? changed.get(sk)?.finding_id ?? null;
    changed.set(sk, { field_id, instance_path, finding_id });
  }
  return changed;
};

/** What is still to be done about a changed answer: for its finding, or that its record knows it again. */
interface Pending {
  /** Undefined where it was taken away. */
  answer: Row<StoredAnswer> | undefined;
  place: FieldPlace;
  instance_path: string;
  finding_id: string | null;
  consequence: Consequence;
}

/** Rows of a transaction that findings take, beside the inspection's own. */
const MOST_ROWS = 90;

/**
 * What the changed answers mean for findings and has not been done yet, as much as fits into one change; the reply
 * is whether all of it is done.
 */
const settle = async (caller: Caller, inspectionId: string, id: string): Promise<boolean> => {
  const numbers = noNumbers();
  return changePart(caller, async (): Promise<Decision<boolean>> => {
    const { inspection, correction } = await read(caller, inspectionId, id);
    expectOpenTo('closing', correction, inspection);
    const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
    const partition = keys.below(caller, 'INSPECTION', inspectionId);
    const changed = await changedAnswers(caller, inspectionId, id);
    const found = await getRows<StoredAnswer>(
      caller,
      [...changed.keys()].map((sk) => ({ pk: partition, sk })),
    );
    const answers = [...changed.values()].map(({ finding_id, ...where }, position) => {
      const answer = found[position];
      return { ...where, answer, finding_id: answer?.finding_id ?? finding_id };
    });
    const rows = newReader(caller);
    await rows.load([
      audienceKey(caller, inspection.template_family_id),
      ...answers.flatMap(({ finding_id }) => findingKeys(caller, inspectionId, finding_id)),
    ]);
    const audience = audienceIn(
      rows.get<object>(audienceKey(caller, inspection.template_family_id)),
      'on_finding',
    );
    const pending: Pending[] = [];
    let size = 0;
    let isAll = true;
    for (const { field_id, instance_path, answer, finding_id } of answers) {
      const place = index.fields.get(field_id)!;
      const now = { is_failed: answer?.is_failed ?? false, finding_id };
      const consequence = consequenceOf(caller, inspectionId, place, now, false, rows);
      const isKnown = !answer || answer.finding_id === finding_id;
      if (!consequence && isKnown) continue;
      size += rowsOf(consequence, place, audience) + 1;
      isAll = size <= MOST_ROWS || pending.length === 0;
      if (!isAll) break;
      pending.push({ answer, place, instance_path, finding_id, consequence });
    }
    if (pending.length === 0) return { writes: [], reply: true };
    const created = pending.filter(({ consequence }) => consequence?.act === 'create');
    const unused = await numbersFor(
      caller,
      numbers,
      created.map(({ place }) => place),
    );
    const carried = pending.map(({ answer, place, instance_path, finding_id, consequence }) => ({
      answer,
      ...(consequence
        ? carryOut(caller, inspection, { place, instance_path }, consequence, audience, unused)
        : { writes: [], findings_count: 0, open_corrective_actions_count: 0, finding_id }),
    }));
    const total = (count: (each: (typeof carried)[number]) => number) =>
      carried.reduce((sum, each) => sum + count(each), 0);
    return {
      writes: [
        countIn(
          caller,
          inspectionId,
          {
            findings_revision: 1,
            findings_count: total(({ findings_count }) => findings_count),
            open_corrective_actions_count: total(
              ({ open_corrective_actions_count }) => open_corrective_actions_count,
            ),
          },
          correctionStands(inspection),
        ),
        ...carried.flatMap(({ writes }) => writes),
        ...carried.flatMap(({ answer, finding_id }) =>
          !answer || finding_id === answer.finding_id
            ? []
            : [
                write.update(
                  { pk: answer.pk, sk: answer.sk },
                  { set: { finding_id } },
                  // Its version stays, so it takes the finding as well to tell who else is closing.
                  hasValues({ version: answer.version, finding_id: answer.finding_id }),
                ),
              ],
        ),
      ],
      reply: isAll,
    };
  });
};

/** What each answer was before a correction: the first of its revisions says so. */
const originals = async (caller: Caller, inspectionId: string, id: string) => {
  const answers = new Map<string, { revision: Revision; before: StoredAnswer | null }>();
  const start = new Map<string, unknown>();
  for await (const row of revisionsOf(caller, inspectionId, id)) {
    const { revision, before } = recordedIn(row);
    const { field_id, instance_path } = revision;
    if (revision.answer_source === 'start') {
      if (!start.has(field_id)) start.set(field_id, before);
      continue;
    }
    const { sk } = keys.answer(caller, inspectionId, field_id, instance_path);
    if (!answers.has(sk)) answers.set(sk, { revision, before: before as StoredAnswer | null });
  }
  return { answers, start };
};

/** Those of these documents that were deleted meanwhile: what the correction took away nobody used any more. */
const deletedOf = async (
  caller: Caller,
  rows: ReturnType<typeof newReader>,
  shown: unknown,
): Promise<Set<string>> => {
  const ids = [...shownDocuments(shown)];
  await rows.load(ids.map((id) => documents.key(caller, id)));
  return new Set(ids.filter((id) => !rows.get(documents.key(caller, id))));
};

/** A record as it was, without documents that are gone. */
const withoutDeleted = (before: StoredAnswer, gone: ReadonlySet<string>): StoredAnswer => {
  if (shownDocuments([before.value, before.media]).isDisjointFrom(gone)) return before;
  const left = {
    ...before,
    value: withoutDocuments(before.value, gone),
    media: (withoutDocuments(before.media, gone) ?? []) as StoredAnswer['media'],
  };
  return isAnswered(left) ? left : { ...left, answered_by: null, answered_at: null };
};

/** Whether a record is already as it was, its version aside. */
const isRestored = (row: Row<StoredAnswer> | undefined, before: StoredAnswer | null): boolean => {
  if (!row || !before) return !row && !before;
  const contentsOf = ({ value, note, is_na, media, answered_by, answered_at }: StoredAnswer) =>
    JSON.stringify([value, note, is_na, media, answered_by, answered_at]);
  return contentsOf(row) === contentsOf(before);
};

/** Takes back as many changed answers as fit into one change; the reply is whether all are. */
const restoreSome = (caller: Caller, inspectionId: string, id: string): Promise<boolean> =>
  changePart(caller, async (): Promise<Decision<boolean>> => {
    const rows = newReader(caller);
    const { answers } = await originals(caller, inspectionId, id);
    const partition = keys.below(caller, 'INSPECTION', inspectionId);
    const keyed = [...answers].map(([sk, original]) => ({ key: { pk: partition, sk }, ...original }));
    await rows.load([...headers(caller, inspectionId), ...keyed.map(({ key }) => key)]);
    const inspection = rows.get<StoredInspection>(inspections.key(caller, inspectionId));
    if (!inspection) throw notFound(noun);
    if (inspection.active_correction_id !== id) return { writes: [], reply: true };
    const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
    const gone = await deletedOf(
      caller,
      rows,
      keyed.map(({ before }) => before && [before.value, before.media]),
    );
    let attempt: Attempt = await newAttempt(caller, withoutKeys(inspection), index, rows);
    let isAll = true;
    for (const { key, revision, before: original } of keyed) {
      const row = rows.get<StoredAnswer>(key);
      const before = original && withoutDeleted(original, gone);
      if (isRestored(row, before)) continue;
      const current = row && withoutKeys<StoredAnswer>(row);
      const after = before
        ? {
            ...before,
            version: (current?.version ?? before.version) + 1,
            updated_at: new Date().toISOString(),
            finding_id: current?.finding_id ?? before.finding_id,
          }
        : undefined;
      const place = index.fields.get(revision.field_id)!;
      const next: Attempt = {
        ...attempt,
        transitions: new Map(attempt.transitions).set(nameOf(key), {
          key,
          place,
          instance_path: revision.instance_path,
          before: current,
          after,
          bytes: Buffer.byteLength(JSON.stringify(after ?? null)),
        }),
      };
      isAll = attempt.transitions.size === 0 || fits(next);
      if (!isAll) break;
      attempt = next;
    }
    return { writes: await writesOf(attempt, noNumbers()), reply: isAll };
  });

/** The last step of closing a correction. */
const finish = (caller: Caller, inspectionId: string, id: string): Promise<Correction> =>
  change(caller, async () => {
    const { inspection: current, correction } = await read(caller, inspectionId, id);
    expectOpenTo('closing', correction, current);
    const { score } = await judged(caller, current);
    const { next, write, fields } = ended(caller, correction, current, 'closed');
    const isReapproved = current.correction_mode === 'reapprove';
    const edit = isReapproved
      ? step(caller, 'reapprove', current, {
          ...fields,
          score,
          ...unapproved(current.participants, new Date().toISOString()),
        })
      : { fields: { ...fields, score }, writes: [] };
    const after = nextVersion(current, edit.fields);
    return {
      writes: [
        ...transition(caller, current, after, { withAnswers: true }),
        write,
        ...(edit.writes ?? []),
        ...(await notices(caller, current, after)),
        emit(caller, 'inspection.corrected', { inspection_id: inspectionId, correction_id: id }),
      ],
      reply: next,
    };
  });

/** @throws ApiError 404; 409 unless it is completed, may be corrected and is not being corrected */
export const open = (
  caller: Caller,
  inspectionId: string,
  { reason }: Pick<Correction, 'reason'>,
  expectedVersion?: number,
): Promise<Correction> =>
  change(caller, async () => {
    const current = withoutKeys<StoredInspection>(await inspections.get(caller, inspectionId));
    const { status, correction_mode, active_correction_id } = current;
    expectVersion(noun, current, expectedVersion);
    if (status !== 'completed') throw conflict(`${noun} is ${status}, not completed`);
    if (correction_mode === 'locked') {
      throw conflict(`${noun} is ${status} and its correction_mode is locked`);
    }
    if (active_correction_id) {
      throw conflict(`${noun} is ${status} and correction ${active_correction_id} of it is open`);
    }
    const { version: _, ...correction } = newResource({
      inspection_id: inspectionId,
      reason,
      status: 'open' as const,
      revisions_count: 0,
      opened_by: caller.user_id,
      closed_by: null,
      closed_at: null,
    });
    const next = nextVersion(current, {
      active_correction_id: correction.id,
      correction_stage: 'open',
      correction_revisions: 0,
    });
    return {
      writes: [
        ...transition(caller, current, next),
        write.create({ ...keyOf(caller, correction), ...correction }),
      ],
      reply: correction,
    };
  });

/** Those of one inspection, in the order in which they were opened. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: CorrectionQuery,
): Promise<Listing<Correction>> => {
  const name = `CORRECTION ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const inspection = await inspections.get(caller, inspectionId);
  const { pk: partition, sk: prefix } = keys.correction(caller, inspectionId, '');
  const found = queryRows<StoredCorrection>(caller, {
    partition,
    prefix,
    after,
    updatedSince: query.updated_since,
    where: { status: query.status && [query.status] },
  });
  return listing(
    caller,
    name,
    query,
    found,
    ({ sk }) => sk,
    (row) => toCorrection(withoutKeys<StoredCorrection>(row), inspection),
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, inspectionId: string, id: string): Promise<Correction> => {
  const { inspection, correction } = await read(caller, inspectionId, id);
  return toCorrection(correction, inspection);
};

/**
 * What one correction has changed, the oldest first. A page's end is a place in the sequence, so it stands while
 * the correction goes on.
 * @throws ApiError 404; 422 for the cursor of another list
 */
export const listRevisions = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  query: RevisionQuery,
): Promise<RevisionPage> => {
  const name = `REVISION ${id}`;
  const after = readCursor(caller, name, query);
  await read(caller, inspectionId, id);
  const where = { answer_source: query.include_start ? undefined : ['body'] };
  const found = revisionsOf(caller, inspectionId, id, { after, where, pageSize: query.limit + 1 });
  const { page, next = null } = await pageOf(
    caller,
    name,
    query,
    found,
    ({ sk }) => sk,
    (row) => recordedIn(row).revision,
  );
  return { items: page, next_cursor: next };
};

/**
 * Ends a correction: findings agree with the answers again, the score is found anew, and the inspection goes
 * through approval again where that was agreed. From the first step on nothing more is saved in it; what is
 * interrupted goes on when it is called again.
 * @throws ApiError 404; 409 for one that is not open, or with what is missing
 */
export const close = async (caller: Caller, inspectionId: string, id: string): Promise<Correction> => {
  await embark(caller, inspectionId, id, 'closing', async (inspection) => {
    const { blockers } = await judged(caller, inspection);
    if (blockers.length > 0) throw conflict(blockedMessage(inspection.status, blockers));
  });
  while (!(await settle(caller, inspectionId, id)));
  return finish(caller, inspectionId, id);
};

/**
 * Ends a correction as if it had not been: every answer is again what it was, but for documents that were
 * deleted meanwhile. From the first step on nothing more is saved in it; what is interrupted goes on when it is
 * called again.
 * @throws ApiError 404; 409 for one that has ended
 */
export const discard = async (caller: Caller, inspectionId: string, id: string): Promise<Correction> => {
  await embark(caller, inspectionId, id, 'discarding');
  while (!(await restoreSome(caller, inspectionId, id)));
  return change(caller, async () => {
    const { inspection: current, correction } = await read(caller, inspectionId, id);
    expectOpenTo('discarding', correction, current);
    const { start } = await originals(caller, inspectionId, id);
    const gone = await deletedOf(caller, newReader(caller), [...start.values()]);
    const answers = Object.entries({ ...current.start_answers, ...Object.fromEntries(start) }).flatMap(
      ([key, value]) => {
        const left = withoutDocuments(value, gone);
        return left === null ? [] : [[key, left] as const];
      },
    );
    const begun = await startedWith(
      caller,
      await contentOf(caller, current.template_id, current.content_hash),
      Object.fromEntries(answers),
      current,
      inspectionId,
    );
    const { next, write, fields } = ended(caller, correction, current, 'discarded');
    const after = nextVersion(current, { ...begun.fields, ...fields });
    return {
      writes: [...transition(caller, current, after, { withAnswers: true }), ...begun.writes, write],
      reply: next,
    };
  });
};

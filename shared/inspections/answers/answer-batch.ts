import { pick } from '../../base/fields.ts';
import { affectedFields } from '../../domain/content/conditions/affected.ts';
import { hasLogic } from '../../domain/content/conditions/dependencies.ts';
import { evaluate, type Evaluation, type KnownAnswer } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex, FieldPlace } from '../../domain/content/content-index.ts';
import { documentsOf } from '../../domain/content/entry.ts';
import { innermostIndexOf, placeName } from '../../domain/content/instance-paths.ts';
import { findingSeverity } from '../../domain/content/new-finding.ts';
import { progressChange } from '../../domain/content/progress.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { workersOf } from '../../domain/four-eyes.ts';
import type { Audience } from '../../domain/notifications/notices.ts';
import * as documents from '../../files/documents.ts';
import { audienceIn, audienceKey } from '../../notices/notify.ts';
import { AnswersSaved } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import { MAX_TRANSACTION_WRITES, type Work } from '../../table/change.ts';
import { both, hasValues } from '../../table/conditions.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import type { GoneAnswer } from '../../table/entities/machinery.ts';
import { type Key, nameOfKey } from '../../table/keys.ts';
import { aboutOf, emit } from '../../table/outbox/outbox.ts';
import { withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { answerStateWrite } from '../rows/answer-records.ts';
import {
  activityWrites,
  addToCounters,
  answersOf,
  keepingWrites,
  PLACING,
} from '../rows/inspection-records.ts';
import { revisionWrites, stillAcceptsAnswers } from '../rows/revisions.ts';
import { goneResults } from './calculated.ts';
import {
  type AnswerWithConsequence,
  type Consequence,
  consequenceOf,
  type Effects,
  effectsOf,
  isHideable,
  maxWritesOf,
  mayMatter,
  noNumbers,
  visitTime,
} from './consequences.ts';
import {
  hasHideable,
  isHidden,
  maxWritesOfTurned,
  type TurnedAnswer,
  turnedAnswers,
  turnedQuestions,
  turnedWrites,
} from './hidden-questions.ts';
import { type KnownAnswers, knownAnswersIn, type LoadedRows } from './loaded-rows.ts';
import { settlingTask } from './settle-hidden.ts';

/** Writes that all answers share: the inspection's row, the state of its answers, its history and the event. */
const SHARED_WRITES = 4;

/** Records that one transaction can save if nothing else changes with them. One call reads as many. */
export const MAX_RECORDS = MAX_TRANSACTION_WRITES - SHARED_WRITES;

/** Writes that a change may need beside those of its batch: the reply of its request, and a task of a worker. */
const OTHER_WRITES = 2;

/**
 * Bytes of the records of one transaction, as JSON. The limit is 4 MB (Amazon DynamoDB quotas). The rest is for the
 * other rows, and for the parts of an item that its JSON does not have.
 */
const MAX_BYTES = 3_000_000;

/** A record after the change. */
export interface AnswerChange {
  key: Key<StoredAnswer>;
  place: FieldPlace;
  instance_path: string;
  /** Undefined to delete the record. */
  after: StoredAnswer | undefined;
}

/** A change of a record, with its size in a transaction. */
export interface RecordChange extends AnswerChange, AnswerWithConsequence {
  /** The stored record. */
  before: StoredAnswer | undefined;
  /** How its finding changes if conditions hide its question after the change. */
  ifHidden: Consequence;
  /** The maximum number of writes, without those of documents. */
  writes: number;
  /** Of the record after the change, as JSON. */
  bytes: number;
  /** By document id, the change of its use count. */
  uses: ReadonlyMap<string, number>;
}

/** How a batch is saved. */
interface BatchOptions {
  /** Whether all answers of the inspection must still be as they were when it was read. */
  isExact?: boolean | undefined;
  /** Whether the batch takes back changes of a correction, which is no work on the inspection. */
  isTakenBack?: boolean;
}

interface Totals {
  /** The maximum number of writes, those of documents included. */
  writes: number;
  bytes: number;
}

/** The totals with writes of their own. */
const sumOf = ({ writes, bytes }: Totals, former: readonly Write[]): Totals => ({
  writes: writes + former.length,
  bytes: former.reduce((sum, { item }) => sum + Buffer.byteLength(JSON.stringify(item)), bytes),
});

/** Whether one transaction can make changes of this size. */
const areWithin = ({ writes, bytes }: Totals): boolean =>
  writes <= MAX_TRANSACTION_WRITES && bytes <= MAX_BYTES;

/** The known answers after the batch is saved, and the results of conditions and formulas. */
interface SavedState {
  known: ReadonlyMap<string, KnownAnswer>;
  evaluation: Evaluation;
}

const isSignature = ({ field }: FieldPlace): boolean => field.type === 'signature';

/** Whether the answer itself changes, and not only the mutations that its record remembers. */
const isAnswerChange = ({ before, after }: RecordChange): boolean => before?.version !== after?.version;

/** Adds use counts to others, and removes those that become zero. */
const addUses = (uses: Map<string, number>, added: Iterable<[string, number]>, factor: 1 | -1): void => {
  for (const [id, count] of added) {
    const sum = (uses.get(id) ?? 0) + count * factor;
    if (sum === 0) uses.delete(id);
    else uses.set(id, sum);
  }
};

const documentUses = (
  place: FieldPlace,
  before: StoredAnswer | undefined,
  after: StoredAnswer | undefined,
): Map<string, number> => {
  const each = (answer: StoredAnswer | undefined): [string, number][] =>
    answer ? [...documentsOf(place, answer)].map((id) => [id, 1]) : [];
  const uses = new Map<string, number>();
  addUses(uses, each(before), -1);
  addUses(uses, each(after), 1);
  return uses;
};

const EMPTY = { value: null, note: '', is_na: false, client_answered_at: null, version: 0 };

/** The revision of the open correction that records a change. */
const changedAnswer = ({ place, instance_path, before, after }: RecordChange) => {
  const [was, is] = [before ?? EMPTY, after ?? EMPTY];
  return {
    revision: {
      answer_source: 'body' as const,
      field_id: place.field.id,
      section_id: place.section.id,
      instance_index: innermostIndexOf(instance_path),
      instance_path,
      previous_value: was.value,
      value: is.value,
      previous_note: was.note,
      note: is.note,
      previous_is_na: was.is_na,
      is_na: is.is_na,
      previous_client_answered_at: was.client_answered_at,
      client_answered_at: is.client_answered_at,
      version: after?.version ?? was.version + 1,
    },
    before,
  };
};

const recordWrites = ({ key, before, after }: RecordChange, finding_id: string | null): Write[] => {
  if (!after) return before ? [write.remove(key, before.version)] : [];
  const row = { ...after, finding_id, ...key };
  if (!before) return [write.create(row)];
  // Two things change without the version: the remembered mutations, and the finding that a closing correction creates.
  const { version, mutation_ids, finding_id: previous } = before;
  return [write.replace(row, hasValues({ version, mutation_ids, finding_id: previous }))];
};

/**
 * The changes of answers that one transaction makes. Running totals tell whether one more change fits, so the cost of a
 * batch is linear in its answers.
 */
export class AnswerBatch {
  readonly #work: Work;
  readonly #inspection: StoredInspection;
  readonly #index: ContentIndex;
  readonly #rows: LoadedRows;
  readonly #known: KnownAnswers;
  readonly #options: BatchOptions;
  /** By the names of the records' keys. A record that changes several times changes once in the transaction. */
  readonly #changes = new Map<string, RecordChange>();
  /** By document id, the change of its use count; never 0. */
  readonly #uses = new Map<string, number>();
  /** Stored records without their keys, by the names of these. */
  readonly #stored = new Map<string, StoredAnswer>();
  /** Answers that others have replaced. */
  readonly #former: Write[] = [];
  #totals: Totals = { writes: SHARED_WRITES, bytes: 0 };
  #outcome: SavedState | undefined;
  #before: Evaluation | undefined;
  #isWhole = true;

  private constructor(
    work: Work,
    inspection: StoredInspection,
    index: ContentIndex,
    rows: LoadedRows,
    known: KnownAnswers,
    options: BatchOptions,
  ) {
    this.#work = work;
    this.#inspection = inspection;
    this.#index = index;
    this.#rows = rows;
    this.#known = known;
    this.#options = options;
  }

  /**
   * An empty batch. Calls: as `knownAnswers`.
   * @param rows has the `inspectionKeys` loaded, and the family where a finding may be created. Records, and the
   * `findingKeys` of those that stop or start to fail, are loaded before a change of them is made.
   */
  static async begin(
    work: Work,
    inspection: StoredInspection,
    index: ContentIndex,
    rows: LoadedRows,
    options: BatchOptions = {},
  ): Promise<AnswerBatch> {
    const known = await knownAnswersIn(work, rows, inspection.id, index);
    return new AnswerBatch(work, inspection, index, rows, known, options);
  }

  /**
   * Whether the writes include all changes of findings. If not, because one transaction cannot make them all,
   * `settleHidden` makes the others.
   */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0 && this.#former.length === 0;
  }

  /** The instances of repeat sections that the stored answers make. */
  storedInstances(): Evaluation['instances'] {
    return evaluate(this.#index, this.#known.known.values()).instances;
  }

  /** A record after the batch is saved. */
  recordOf(key: Key<StoredAnswer>): StoredAnswer | undefined {
    const change = this.#changes.get(nameOfKey(key));
    return change ? change.after : this.#storedRecord(key);
  }

  /** The change of a record from its stored state to another one. */
  changeOf({ key, place, instance_path, after }: AnswerChange): RecordChange {
    const before = this.#storedRecord(key);
    const consequence = this.#consequenceOf(place, instance_path, before, after);
    const ifHidden = this.#consequenceIfHidden(place, before, after, consequence);
    return {
      key,
      place,
      instance_path,
      before,
      after,
      finding_id: before?.finding_id ?? null,
      visited_at: visitTime(after),
      consequence,
      ifHidden,
      writes:
        (this.#isCorrection ? 2 : 1) +
        Math.max(
          maxWritesOf(consequence, place, this.#audience),
          maxWritesOf(ifHidden, place, this.#audience),
        ) +
        // The client account counts a signed inspection.
        Number(isSignature(place)),
      bytes: after ? Buffer.byteLength(JSON.stringify(after)) : 0,
      uses: documentUses(place, before, after),
    };
  }

  /**
   * Whether one transaction can save the batch with this change as well.
   * @param former the answer that it replaces, if that is kept
   */
  fits(change: RecordChange, former: readonly Write[] = []): boolean {
    return areWithin(sumOf(this.#totalsWith(change), former));
  }

  /** Keeps answers beside the changes. @returns whether one transaction can save the batch with them */
  keep(former: readonly Write[]): boolean {
    const totals = sumOf(this.#totals, former);
    if (!areWithin(totals)) return false;
    this.#totals = totals;
    this.#former.push(...former);
    return true;
  }

  /** Adds a change, and the answer that it replaces. It replaces an earlier change of the same record. */
  add(change: RecordChange, former: readonly Write[] = []): void {
    const name = nameOfKey(change.key);
    this.#totals = sumOf(this.#totalsWith(change), former);
    this.#former.push(...former);
    addUses(this.#uses, this.#changes.get(name)?.uses ?? [], -1);
    addUses(this.#uses, change.uses, 1);
    this.#changes.set(name, change);
    this.#outcome = undefined;
  }

  /** The results of conditions and formulas, for the stored answers with others in their place. */
  evaluationWith(answers: Iterable<KnownAnswer>): Evaluation {
    const known = new Map(this.#known.known);
    for (const answer of answers) known.set(placeName(answer.field_id, answer.instance_path), answer);
    return evaluate(this.#index, known.values(), this.#inspection.start_answers);
  }

  /** The results of conditions and formulas after the batch is saved. */
  evaluation(): Evaluation {
    return this.#outcomeNow().evaluation;
  }

  /**
   * The writes that save the batch. Calls: one for the numbers of new findings, and one for those of their actions. Also
   * those of `turnedAnswers`, if the batch hides or shows answered questions that create findings.
   * @param taken numbers of earlier attempts at the same change
   */
  async writes(taken = noNumbers()): Promise<Write[]> {
    const all = [...this.#changes.values()];
    const changes = all.filter(isAnswerChange);
    const turned = await this.#turned(changes);
    const context = {
      work: this.#work,
      inspection: this.#inspection,
      audience: this.#audience,
      evaluated: async () => this.evaluation(),
    };
    const effects = await effectsOf(
      context,
      [...all.map((change) => this.#settled(change)), ...turned],
      taken,
    );
    const records = all.flatMap((change, position) => recordWrites(change, effects.findingIds[position]!));
    if (changes.length === 0) return [...records, ...this.#former, ...this.#lateWrites()];
    return [
      this.#countWrite(changes, effects),
      ...this.#stateWrites(),
      this.#event(changes),
      ...this.#activityWrites(),
      ...records,
      ...this.#former,
      ...(this.#isCorrection ? revisionWrites(this.#work, this.#inspection, changes.map(changedAnswer)) : []),
      ...effects.writes,
      ...turned.flatMap((answer, position) =>
        turnedWrites(answer, effects.findingIds[all.length + position]!),
      ),
      ...(this.#isWhole ? [] : [settlingTask(this.#work, this.#inspection.id)]),
      ...this.#documentWrites(),
      ...(this.#isFirstSignature(changes) ? keepingWrites(this.#work, this.#inspection) : []),
    ];
  }

  /**
   * Whether the inspection is being corrected. Each change is then a revision, even one that takes another back, and
   * findings stay as they are until the correction takes effect.
   */
  get #isCorrection(): boolean {
    return this.#inspection.correction_stage !== null;
  }

  /** Who is notified of new findings. */
  get #audience(): Audience {
    const { template_family_id } = this.#inspection;
    return audienceIn(this.#rows.get(audienceKey(this.#work, template_family_id)), 'on_finding');
  }

  #storedRecord(key: Key<StoredAnswer>): StoredAnswer | undefined {
    const name = nameOfKey(key);
    const stored = this.#stored.get(name);
    if (stored) return stored;
    const row = this.#rows.get(key);
    if (!row) return undefined;
    const record = withoutKeys(row);
    this.#stored.set(name, record);
    return record;
  }

  /** How the finding changes if the question is shown after the change. The answer to a hidden one did not count. */
  #consequenceOf(
    place: FieldPlace,
    instance_path: string,
    before: StoredAnswer | undefined,
    after: StoredAnswer | undefined,
  ): Consequence {
    if (this.#isCorrection) return undefined;
    const isNew =
      before?.is_failed === true &&
      isHideable(this.#index, place) &&
      isHidden(this.#evaluationBefore(), { place, instance_path });
    if (!mayMatter(this.#index, place, isNew ? undefined : before, after)) return undefined;
    const { finding_id = null, earlier_finding } = before ?? {};
    const answer = {
      is_failed: after?.is_failed ?? false,
      finding_id,
      earlier_finding,
      severity: after && findingSeverity(this.#index, place, after.value),
    };
    return consequenceOf(this.#work, this.#inspection.id, place, answer, true, this.#rows);
  }

  /** How the finding changes if the question is hidden after the change. */
  #consequenceIfHidden(
    place: FieldPlace,
    before: StoredAnswer | undefined,
    after: StoredAnswer | undefined,
    ifShown: Consequence,
  ): Consequence {
    if (!isHideable(this.#index, place) || !after?.is_failed) return ifShown;
    if (this.#isCorrection || !before?.is_failed) return undefined;
    const { finding_id, earlier_finding } = before;
    const answer = { is_failed: false, finding_id, earlier_finding };
    return consequenceOf(this.#work, this.#inspection.id, place, answer, true, this.#rows);
  }

  /** A change with its consequence after the batch is saved. */
  #settled(change: RecordChange): RecordChange {
    const { place, ifHidden } = change;
    const hides = isHideable(this.#index, place) && isHidden(this.evaluation(), change);
    return hides ? { ...change, consequence: ifHidden } : change;
  }

  /** The answers beside the changed ones whose findings change in the same transaction, because of conditions. */
  async #turned(changes: readonly RecordChange[]): Promise<TurnedAnswer[]> {
    if (this.#isCorrection || changes.length === 0 || !hasHideable(this.#index)) return [];
    const [before, after] = [this.#evaluationBefore(), this.evaluation()];
    const affected = affectedFields(before, after, changes);
    const changed = new Set(
      changes.map(({ place, instance_path }) => placeName(place.field.id, instance_path)),
    );
    const others = turnedQuestions(before, after, this.#known.known.values(), (place) =>
      affected.has(place),
    ).filter(({ place, instance_path }) => !changed.has(placeName(place.field.id, instance_path)));
    if (others.length === 0) return [];
    const all = await turnedAnswers(this.#work, this.#inspection, after, others, this.#rows);
    const some: TurnedAnswer[] = [];
    let writes = this.#totals.writes + OTHER_WRITES;
    for (const answer of all) {
      writes += maxWritesOfTurned(answer, this.#audience);
      if (writes > MAX_TRANSACTION_WRITES) break;
      some.push(answer);
    }
    this.#isWhole = some.length === all.length;
    return some;
  }

  /** The results of conditions and formulas for the stored answers, of a content that has any. */
  #evaluationBefore(): Evaluation {
    return (this.#before ??= evaluate(
      this.#index,
      this.#known.known.values(),
      this.#inspection.start_answers,
    ));
  }

  #totalsWith({ key, writes, bytes, uses }: RecordChange): Totals {
    const replaced = this.#changes.get(nameOfKey(key));
    // Only the documents of these two changes can enter or leave the documents of the batch.
    const changed = new Map(uses);
    addUses(changed, replaced?.uses ?? [], -1);
    let documentWrites = 0;
    for (const [id, count] of changed) {
      const current = this.#uses.get(id) ?? 0;
      documentWrites += Number(current + count !== 0) - Number(current !== 0);
    }
    return {
      writes: this.#totals.writes + writes - (replaced?.writes ?? 0) + documentWrites,
      bytes: this.#totals.bytes + bytes - (replaced?.bytes ?? 0),
    };
  }

  #outcomeNow(): SavedState {
    if (this.#outcome) return this.#outcome;
    const known = new Map(this.#known.known);
    for (const { place, instance_path, after } of this.#changes.values()) {
      const name = placeName(place.field.id, instance_path);
      if (after) known.set(name, after);
      else known.delete(name);
    }
    const evaluation = evaluate(this.#index, known.values(), this.#inspection.start_answers);
    this.#outcome = { known, evaluation };
    return this.#outcome;
  }

  #countWrite(changes: readonly RecordChange[], { writes, counts }: Effects): Write {
    const add = {
      answers_revision: 1,
      ...this.#progressChange(),
      ...counts,
      findings_revision: Number(writes.length > 0),
      correction_revisions: this.#isCorrection ? changes.length : 0,
    };
    const { id, answers_revision, is_kept, client_account_id } = this.#inspection;
    const isFirstSignature = this.#isFirstSignature(changes);
    const asRead = {
      ...(this.#options.isExact && { answers_revision }),
      ...(isFirstSignature && { is_kept, client_account_id }),
      ...(writes.length > 0 && pick(this.#inspection, PLACING)),
    };
    const isAsRead = Object.keys(asRead).length > 0 ? hasValues(asRead) : undefined;
    return addToCounters(this.#work, id, add, both(stillAcceptsAnswers(this.#inspection), isAsRead), {
      isWork: !this.#options.isTakenBack,
      is_kept: isFirstSignature ? true : undefined,
    });
  }

  /** Whether the inspection is signed with this batch, and nothing has made it one that is kept before. */
  #isFirstSignature(changes: readonly RecordChange[]): boolean {
    return (
      !this.#inspection.is_kept &&
      changes.some(({ place, after }) => isSignature(place) && after && isAnswered(after))
    );
  }

  /** Adds whoever has given late answers to those who have worked on the inspection. */
  #lateWrites(): Write[] {
    const { id, worked_by = new Set<string>() } = this.#inspection;
    if (this.#former.length === 0 || workersOf(this.#work).isSubsetOf(worked_by)) return [];
    return [addToCounters(this.#work, id, {}, stillAcceptsAnswers(this.#inspection), { isWork: true })];
  }

  #event(changes: readonly RecordChange[]): Write {
    const saved = {
      inspection_id: this.#inspection.id,
      answers: changes.map(({ place, instance_path, after }) => ({
        section_id: place.section.id,
        field_id: place.field.id,
        instance_path,
        client_answered_at: after?.client_answered_at ?? null,
        version: after?.version ?? null,
      })),
    };
    const gone = this.#gone(changes);
    return emit(this.#work, 'inspection.answers_saved', present(AnswersSaved, saved), {
      answers_of: { ...answersOf(this.#inspection), ...(gone.length > 0 && { gone }) },
      about: aboutOf(this.#inspection),
    });
  }

  /** The records and results that the inspection has no longer after the change. */
  #gone(changes: readonly RecordChange[]): GoneAnswer[] {
    const records = changes.flatMap(({ before, after }) =>
      before && !after ? [pick(before, ['id', 'section_id', 'field_id', 'instance_path'])] : [],
    );
    if (!hasLogic(this.#index)) return records;
    return [...records, ...goneResults(this.#inspection.id, this.#evaluationBefore(), this.evaluation())];
  }

  #progressChange() {
    const all = [...this.#changes.values()];
    // Without conditions, formulas and repeat sections, the progress depends on the changed records alone.
    const before = hasLogic(this.#index)
      ? this.#evaluationBefore()
      : evaluate(
          this.#index,
          all.flatMap(({ before: stored }) => stored ?? []),
          this.#inspection.start_answers,
        );
    return progressChange(before, this.evaluation(), all);
  }

  #stateWrites(): Write[] {
    if (!hasLogic(this.#index)) return [];
    const { state } = this.#known;
    const known = this.#outcomeNow().known.values();
    return [answerStateWrite(this.#work, this.#inspection.id, this.#index, known, state)];
  }

  /** Entries of the inspection's history about documents that no answer shows any more. */
  #activityWrites(): Write[] {
    const document_ids = [...this.#uses].flatMap(([id, count]) => (count < 0 ? [id] : []));
    if (document_ids.length === 0) return [];
    const entry = { kind: 'documents_removed', document_ids } as const;
    return activityWrites(this.#work, this.#inspection.id, [entry]);
  }

  /** A document that was deleted meanwhile makes the change stale. The next attempt finds it missing. */
  #documentWrites(): Write[] {
    return [...this.#uses].map(([id, count]) => ({
      ...documents.use(this.#work, id, count, 'value'),
      otherwise: () => 'stale',
    }));
  }
}

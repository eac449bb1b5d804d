import type { Caller } from '../../base/caller.ts';
import type { FieldPlace } from '../../domain/content/content-index.ts';
import type { Finding } from '../../schemas/finding.ts';
import {
  findingKey,
  findingMark,
  findingRemoval,
  isUntouched,
  newFinding,
  nextFindingNumber,
} from '../findings/findings.ts';
import {
  automaticActionKey,
  nextActionNumber,
  type StoredAction,
} from '../inspection-core/corrective-action-record.ts';
import type { StoredInspection } from '../inspection-core/record.ts';
import type { Audience } from '../notifications/audiences.ts';
import { notify } from '../notifications/notifications.ts';
import type { Key } from '../table/keys.ts';
import type { Row } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';

/** What an answer means for the finding of its field: nothing, mostly. */
export type Consequence =
  | { act: 'create' }
  | { act: 'remove'; finding: Row<Finding>; action: Row<StoredAction> | undefined }
  | { act: 'mark' | 'unmark'; finding: Row<Finding> }
  | undefined;

/** Reads rows that were loaded before. */
export interface Loaded {
  get: <Resource>(key: Key) => Row<Resource> | undefined;
}

/** The rows that decide what an answer means for its finding: that one, and the action made with it. */
export const findingKeys = (caller: Caller, inspectionId: string, findingId: string | null): Key[] =>
  findingId
    ? [findingKey(caller, inspectionId, findingId), automaticActionKey(caller, inspectionId, findingId)]
    : [];

/** Whether a failed answer to a field makes a finding by itself. */
export const makesFinding = ({ field }: FieldPlace): boolean => field.finding?.create === 'auto';

/**
 * What has to be done that the finding of an answer agrees with it.
 * @param answer as it is now, with the finding it has led to
 * @param isFresh whether an untouched finding goes with its reason, rather than being marked
 */
export const consequenceOf = (
  caller: Caller,
  inspectionId: string,
  place: FieldPlace,
  answer: { is_failed: boolean; finding_id: string | null },
  isFresh: boolean,
  rows: Loaded,
): Consequence => {
  const [key, actionKey] = findingKeys(caller, inspectionId, answer.finding_id);
  const finding = key && rows.get<Finding>(key);
  if (!finding) return answer.is_failed && makesFinding(place) ? { act: 'create' } : undefined;
  if (answer.is_failed) return finding.trigger_cleared ? { act: 'unmark', finding } : undefined;
  const action = rows.get<StoredAction>(actionKey!);
  if (isFresh && isUntouched(finding, action)) return { act: 'remove', finding, action };
  return finding.trigger_cleared ? undefined : { act: 'mark', finding };
};

/** At most so many rows follow from a consequence. */
export const rowsOf = (consequence: Consequence, { field }: FieldPlace, audience: Audience): number => {
  if (!consequence) return 0;
  if (consequence.act === 'remove') return consequence.action ? 8 : 2;
  if (consequence.act !== 'create') return 1;
  return 4 + audience.user_ids.length + (field.finding?.corrective_action ? 6 : 0);
};

/** Numbers that were taken for findings and actions, and serve the next attempt when one fails. */
export interface Numbers {
  findings: number[];
  actions: number[];
}

export const noNumbers = (): Numbers => ({ findings: [], actions: [] });

/** Hands out numbers that were taken, each once. */
interface Handout {
  finding: () => number;
  action: () => number;
}

/** The numbers that new findings at these places need, with their actions: more are taken where too few were. */
export const numbersFor = async (
  caller: Caller,
  { findings, actions }: Numbers,
  created: readonly FieldPlace[],
): Promise<Handout> => {
  const take = async (taken: number[], count: number, next: (caller: Caller) => Promise<number>) => {
    const missing = Array.from({ length: Math.max(0, count - taken.length) }, () => next(caller));
    taken.push(...(await Promise.all(missing)));
  };
  const acting = created.filter(({ field }) => field.finding!.corrective_action);
  await Promise.all([
    take(findings, created.length, nextFindingNumber),
    take(actions, acting.length, nextActionNumber),
  ]);
  const [unusedFindings, unusedActions] = [findings.values(), actions.values()];
  return { finding: () => unusedFindings.next().value!, action: () => unusedActions.next().value! };
};

/** What a consequence writes, what it changes of the inspection's counts, and the answer's finding from now on. */
export interface Carried {
  writes: Write[];
  findings_count: number;
  open_corrective_actions_count: number;
  finding_id: string | null;
}

/**
 * The writes of a consequence.
 * @param numbers for a new finding and its action
 */
export const carryOut = (
  caller: Caller,
  inspection: StoredInspection,
  { place, instance_path }: { place: FieldPlace; instance_path: string },
  consequence: NonNullable<Consequence>,
  audience: Audience,
  numbers: Handout,
): Carried => {
  if (consequence.act === 'create') {
    const { label, finding: rule } = place.field;
    const action = rule!.corrective_action;
    const { finding, writes } = newFinding(
      caller,
      numbers.finding(),
      {
        inspection_id: inspection.id,
        label: rule!.label ?? label,
        severity: rule!.severity,
        section_id: place.section.id,
        field_id: place.field.id,
        instance_path,
        origin: 'auto',
        content: { description: '', recommendation: '', root_cause: '', media: [] },
      },
      action ? { rule: action, number: numbers.action() } : undefined,
    );
    const told = notify(caller, { event: 'finding_created', inspection, finding, ...audience });
    return {
      writes: [...writes, ...told],
      findings_count: 1,
      open_corrective_actions_count: action ? 1 : 0,
      finding_id: finding.id,
    };
  }
  const { finding } = consequence;
  if (consequence.act === 'remove') {
    return {
      writes: findingRemoval(caller, finding, consequence.action),
      findings_count: -1,
      open_corrective_actions_count: consequence.action ? -1 : 0,
      finding_id: null,
    };
  }
  return {
    writes: [findingMark(caller, finding, consequence.act === 'mark')],
    findings_count: 0,
    open_corrective_actions_count: 0,
    finding_id: finding.id,
  };
};

import { isActionOpen, lacksEvidence } from '../../shared/domain/corrective-actions.ts';
import * as evidence from '../../shared/inspections/corrective-actions/attachments.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import type { Activity, CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { NewCorrectiveAction, Verification } from '../../shared/schemas/corrective-action.ts';
import { type Finding, NewFinding } from '../../shared/schemas/finding.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { inspectionOf, newDocument, usedBy } from '../answers/fixtures.ts';
import { startedInspection, newColleague, sortKeys } from '../inspections/fixtures.ts';
import { seeded } from '../support/chance.ts';
import { chaos, impatient, installFaults, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { underWay } from '../support/under-way.ts';

installFaults();
impatient(150);

type Stage = 'before' | 'after';

const all = <Resource extends object>(
  { caller }: Person,
  partition: string,
  prefix = '',
): Promise<Resource[]> =>
  Array.fromAsync(queryRows<Resource>(caller, { partition, ...(prefix && { prefix }) }));

/** Several clients change the findings and actions of an inspection in parallel, while their database calls fail. */
const runClients = async (
  person: Person,
  inspectionId: string,
  people: readonly string[],
  documents: readonly string[],
  random: () => number,
) => {
  const { caller } = person;
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const findingIds: string[] = [];
  const actionIds: string[] = [];
  const attachments: { action: string; id: string }[] = [];

  const addFinding = async () => {
    const media = documents.filter(() => random() < 0.3).map((document_id) => ({ document_id }));
    const made = NewFinding.parse({ label: 'Loose bolt', content: { media } });
    findingIds.push((await findings.create(caller, inspectionId, made)).id);
  };
  const addAction = async () => {
    const isOnSite = random() < 0.3;
    const made = NewCorrectiveAction.parse({
      completed_on_site: isOnSite,
      ...(isOnSite && { evidence: [{ document_id: pick(documents) }] }),
      title: 'Tighten it',
      assignee_id: pick([...people, null]),
      evidence_required: random() < 0.3,
      external_ref: pick(['a', 'b', null, null]),
    });
    actionIds.push((await correctiveActions.create(caller, pick(findingIds), made)).id);
  };
  const attach = async () => {
    const action = pick(actionIds);
    const made = { document_id: pick(documents), stage: pick<Stage>(['before', 'after']), caption: '' };
    attachments.push({ action, id: (await evidence.attach(caller, action, made)).id });
  };
  const turns: [weight: number, turn: () => Promise<unknown>][] = [
    [2, addFinding],
    [4, addAction],
    [3, attach],
    [2, () => evidence.detach(caller, pick(attachments).action, pick(attachments).id)],
    [
      8,
      () =>
        correctiveActions.update(caller, pick(actionIds), {
          status: pick(['in_progress', 'in_progress', 'pending_verification', 'cancelled']),
        }),
    ],
    [2, () => correctiveActions.update(caller, pick(actionIds), { assignee_id: pick([...people, null]) })],
    [2, () => correctiveActions.verify(caller, pick(actionIds), Verification.parse({ accepted: false }))],
    [
      4,
      () =>
        correctiveActions.verify(
          caller,
          pick(actionIds),
          Verification.parse({ resolve_finding: random() < 0.5 }),
        ),
    ],
    [2, () => correctiveActions.update(caller, pick(actionIds), { completed_on_site: true })],
    [3, () => correctiveActions.reopen(caller, pick(actionIds), 'again')],
    [1, () => correctiveActions.comment(caller, pick(actionIds), { note: 'Well' })],
    [2, () => findings.update(caller, pick(findingIds), { status: pick(['resolved', 'open']) })],
    [1, () => findings.remove(caller, pick(findingIds))],
  ];
  const weighted = turns.flatMap(([weight, turn]) => Array.from({ length: weight }, () => turn));

  const client = async () => {
    for (let turn = 0; turn < 25; turn += 1) {
      const ready =
        findingIds.length === 0
          ? addFinding
          : actionIds.length === 0
            ? addAction
            : attachments.length === 0
              ? attach
              : pick(weighted);
      try {
        await ready();
      } catch (error) {
        expect([403, 404, 409, 503]).toContain((error as { status?: number }).status);
      }
    }
  };
  const faults = underWay(chaos(random, { refused: 0.1, lost: 0.1 }));
  await withFault(faults.fault, () => Promise.all(Array.from({ length: 4 }, client)));
  // A call that timed out may still arrive.
  await faults.ended();
};

describe('parallel changes of findings and actions, with failures', () => {
  test.each(scaled([1], [1, 2, 3, 4]))(
    'leave counts, lists, uses and histories that agree with the rows (seed %i)',
    async (seed) => {
      const person = await newPerson(`History ${seed}`);
      const { caller } = person;
      const people = [caller.user_id, (await newColleague(person, 'Rolf, repairer')).user_id];
      const documents = await Promise.all([1, 2].map(() => newDocument(person)));
      const inspection = await startedInspection(person);
      await runClients(person, inspection.id, people, documents, seeded(seed));

      const below = keys.below(caller, 'INSPECTION', inspection.id);
      const left = await all<Finding>(person, below, 'FINDING#');
      const actions = await all<CorrectiveAction>(person, below, 'ACTION#');
      expect(await inspectionOf(person, inspection)).toMatchObject({
        findings_count: left.length,
        open_corrective_actions_count: actions.filter(({ status }) => isActionOpen(status)).length,
      });
      for (const { id, status, corrective_actions_count } of left) {
        const own = actions.filter(({ finding_id }) => finding_id === id);
        expect(corrective_actions_count).toBe(own.length);
        if (status === 'resolved') expect(own.filter((action) => isActionOpen(action.status))).toEqual([]);
      }
      const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).toSorted();
      expect(actions.filter(({ finding_id }) => !ids(left).includes(finding_id))).toEqual([]);
      const references = keys.reference.partition(caller, 'ACTION');
      expect(await sortKeys(person, references)).toEqual(ids(actions));
      for (const userId of people) {
        const given = keys.actionAssignment.partition(caller, userId);
        expect(await sortKeys(person, given)).toEqual(
          ids(actions.filter(({ assignee_id }) => assignee_id === userId)),
        );
      }

      const shown = left.flatMap(({ content }) => content.media.map(({ document_id }) => document_id));
      for (const action of actions) {
        const partition = keys.below(caller, 'ACTION', action.id);
        const attached = await all<{ document_id: string; stage: Stage }>(person, partition, 'ATTACHMENT#');
        shown.push(...attached.map(({ document_id }) => document_id));
        expect(action.evidence_count).toBe(attached.filter(({ stage }) => stage === 'after').length);
        expect(lacksEvidence(action)).toBe(false);
        const history = await all<Activity>(person, partition, 'ACTIVITY#');
        expect(history.map(({ kind }) => kind).indexOf('created')).toBe(0);
        const ways = history.filter(({ kind }) => ['status_changed', 'verified', 'reopened'].includes(kind));
        const statuses = [history[0]!.to ?? 'open', ...ways.map(({ to }) => to)];
        expect(ways.map(({ from }) => from)).toEqual(statuses.slice(0, -1));
        expect(action.status).toBe(statuses.at(-1));
        expect(history.length).toBe(action.version);
      }
      expect(await Promise.all(documents.map((id) => usedBy(person, id)))).toEqual(
        documents.map((id) => shown.filter((each) => each === id).length),
      );
    },
  );
});

import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults, killAfter, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { start, startedInspection } from './fixtures.ts';

installFaults();

const [SECTION, DOOR, RAIL] = [uuid(1), uuid(2), uuid(3)];
const finding = { create: 'auto', corrective_action: { title: 'Repair it', due_in_days: 30 } };
const FAMILY = {
  content: contentWith(field(2, 'pass_fail_na', { finding }), field(3, 'pass_fail_na', { finding })),
};

let person: Person;
let first: Inspection;
let second: Inspection;
const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

const say = (inspection: { id: string }, answers: Record<string, string>) =>
  person.answers.save({
    ...of(inspection),
    body: {
      responses: Object.entries(answers).map(([field_id, value]) => ({
        section_id: SECTION,
        field_id,
        value,
      })),
    },
  });

const findingsOf = (inspection: { id: string }): Promise<Finding[]> => person.findings.list(of(inspection));
const actionsOf = (inspection: { id: string }): Promise<CorrectiveAction[]> =>
  person.correctiveActions.list(of(inspection));
const isConsistent = async () =>
  expect((await checkOrganization(person.caller, { repair: false })).differences).toEqual([]);

const accept = ({ id }: { id: string }, body = {}) =>
  person.correctiveActions.verify({ params: { ca_id: id }, body });

/** Opens a correction of the re-inspection. @returns what closes it */
const corrected = async (answers: Record<string, string>) => {
  const { id } = await person.corrections.create({ ...of(second), body: { reason: 'The wrong door' } });
  await say(second, answers);
  const params = { ...of(second).params, correction_id: id };
  return () => person.corrections.close({ params });
};

/** An inspection in which both have failed, and a re-inspection in which both have passed. */
beforeEach(async () => {
  person = await newPerson('Ana');
  first = await startedInspection(person, { family: FAMILY });
  await say(first, { [DOOR]: 'fail', [RAIL]: 'fail' });
  await person.inspections.advance(of(first));
  second = await start(person.key, await person.inspections.createReinspection(of(first)));
  await say(second, { [DOOR]: 'pass', [RAIL]: 'pass' });
  await person.inspections.advance(of(second));
});

describe('the correction of a re-inspection', () => {
  test('opens what fails after all again, with its action and its first due date, and makes no second finding', async () => {
    const before = await actionsOf(first);
    const close = await corrected({ [DOOR]: 'fail' });
    await person.inspections.update({ ...of(second), body: { name: 'Both doors' } });
    expect(await findingsOf(first)).toMatchObject([{ status: 'resolved' }, { status: 'resolved' }]);
    await close();
    expect(await findingsOf(first)).toMatchObject([
      {
        field_id: DOOR,
        status: 'open',
        resolved_at: null,
        resolved_by: null,
        resolved_by_inspection_id: null,
      },
      { field_id: RAIL, status: 'resolved', resolved_by_inspection_id: second.id },
    ]);
    const [door, rail] = await actionsOf(first);
    expect(door).toMatchObject({ status: 'open', due_at: before[0]!.due_at, reopen_count: 1 });
    expect(door!.reopen_reason).toContain(String(second.number));
    expect(rail).toMatchObject({ status: 'pending_verification' });
    expect(await findingsOf(second)).toEqual([]);
    const activity = await person.inspections.listActivity(of(first));
    expect(activity.at(-1)).toMatchObject({ kind: 'findings_reopened', inspection_id: second.id });
    await isConsistent();
  });

  test('takes back a verification as well', async () => {
    const [door] = await actionsOf(first);
    await accept(door!);
    const count = async () =>
      (await person.inspections.get(of(first)))['open_corrective_actions_count'] as number;
    const open = await count();
    await (
      await corrected({ [DOOR]: 'fail' })
    )();
    expect((await actionsOf(first))[0]).toMatchObject({ status: 'open' });
    expect(await count()).toBe(open + 1);
    await isConsistent();
  });

  test('leaves alone what a person has resolved, and what was not corrected', async () => {
    const [door] = await findingsOf(first);
    const at = { params: { finding_id: door!.id } };
    await person.findings.update({ ...at, body: { status: 'open' } });
    await accept((await actionsOf(first))[0]!, { resolve_finding: true });
    await (
      await corrected({ [DOOR]: 'fail' })
    )();
    const [one, other] = await findingsOf(first);
    expect(one).toMatchObject({ status: 'resolved', resolved_by_inspection_id: null });
    expect(other).toMatchObject({ status: 'resolved' });
    expect(await findingsOf(second)).toMatchObject([{ field_id: DOOR, status: 'open' }]);
    await isConsistent();
  });

  test('keeps the earlier finding alone where there are two of one defect, unless somebody has worked on the second', async () => {
    const [door, rail] = await findingsOf(first);
    const setBoth = async (status: Finding['status']) => {
      for (const { id } of [door!, rail!])
        await person.findings.update({ params: { finding_id: id }, body: { status } });
    };
    await setBoth('open');
    for (const action of await actionsOf(first)) await accept(action);
    second = await start(person.key, await person.inspections.createReinspection(of(first)));
    await setBoth('resolved');
    await say(second, { [DOOR]: 'fail', [RAIL]: 'fail' });
    await person.inspections.advance(of(second));
    const [, worked] = await findingsOf(second);
    await person.findings.update({ params: { finding_id: worked!.id }, body: { label: 'Loose rail' } });
    await setBoth('open');
    const { id } = await person.corrections.create({ ...of(second), body: { reason: 'A note' } });
    const note = (field_id: string) => ({ section_id: SECTION, field_id, value: 'fail', note: 'Bent' });
    await person.answers.save({ ...of(second), body: { responses: [note(DOOR), note(RAIL)] } });
    await person.corrections.close({ params: { ...of(second).params, correction_id: id } });
    expect(await findingsOf(second)).toMatchObject([{ id: worked!.id }]);
    expect(await findingsOf(first)).toMatchObject([{ status: 'open' }, { status: 'open' }]);
    await isConsistent();
  });

  test('ends the same when it is killed between any two calls and sent again', async () => {
    const close = await corrected({ [DOOR]: 'fail', [RAIL]: 'fail' });
    for (let calls = 0; ; calls += 1) {
      const { fault, isReached } = killAfter(calls, calls % 2 === 0);
      const ended = await withFault(fault, close).then(
        () => true,
        () => false,
      );
      if (ended && !isReached()) break;
      if (ended) throw new Error('the kill was not noticed');
    }
    expect(await findingsOf(first)).toMatchObject([{ status: 'open' }, { status: 'open' }]);
    expect(await actionsOf(first)).toMatchObject([
      { status: 'open', reopen_count: 1 },
      { status: 'open', reopen_count: 1 },
    ]);
    expect(await findingsOf(second)).toEqual([]);
    await isConsistent();
  });
});

import * as members from '../../shared/organizations/members/members.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../shared/table/keys.ts';
import {
  CHECK,
  CHECKER,
  DEFECTS,
  findingsOf,
  inspectionOf,
  saved,
  UNIT,
  UNIT_NAME,
  UNIT_PLACE,
  UNITS,
} from '../answers/fixtures.ts';
import { advance, eventsOf, newLocation, sortKeys, startedInspection } from '../inspections/fixtures.ts';
import { locs } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily } from '../templates/fixtures.ts';
import { historyOf, newAction, newFinding, patch } from './fixtures.ts';

const RAIL = uuid(2);
const rail = (corrective_action: object) =>
  field(2, 'pass_fail_na', { finding: { create: 'auto', severity: 'major', corrective_action } });

describe('PUT /inspections/{inspection_id}/responses for a field with an automatic corrective action', () => {
  let ines: Person;
  let inspection: { id: string };

  const answerRail = (value: string) => saved(ines, inspection, { field_id: RAIL, value });
  const actions = (): Promise<CorrectiveAction[]> =>
    ines.correctiveActions.list({ params: { inspection_id: inspection.id } });
  const counts = async () => {
    const { findings_count, open_corrective_actions_count } = await inspectionOf(ines, inspection);
    return [findings_count, open_corrective_actions_count];
  };

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    const content = contentWith(rail({ title: 'Fix the rail', due_in_days: 3, priority: 'high' }));
    inspection = await startedInspection(ines, { family: { content } });
  });

  test('200 for a failed answer, with a finding and an action that is due in the given number of days', async () => {
    await answerRail('fail');
    const [finding] = await findingsOf(ines, inspection);
    const [action, ...others] = await actions();
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ corrective_actions_count: 1, version: 1 });
    expect(action).toMatchObject({
      finding_id: finding!.id,
      title: 'Fix the rail',
      priority: 'high',
      status: 'open',
      assignee_id: null,
      created_by: ines.caller.user_id,
      version: 1,
    });
    expect(Date.parse(action!.due_at!) - Date.parse(finding!.created_at)).toBe(3 * 86_400_000);
    expect(await counts()).toEqual([1, 1]);
    expect((await historyOf(ines, action!)).map(({ kind }) => kind)).toEqual(['created']);
    expect(await eventsOf(ines, inspection.id)).toEqual(
      expect.arrayContaining(['finding.created', 'corrective_action.created']),
    );
  });

  test('200 for a passed answer, and the finding and the action are deleted with all their rows', async () => {
    await answerRail('fail');
    const [action] = await actions();
    await answerRail('pass');
    expect([await findingsOf(ines, inspection), await actions()]).toEqual([[], []]);
    expect(await counts()).toEqual([0, 0]);
    expect(await sortKeys(ines, keys.below(ines.caller, 'ACTION', action!.id))).toEqual([]);
    expect(await sortKeys(ines, keys.reference.partition(ines.caller, 'ACTION'))).toEqual([]);
    await answerRail('fail');
    expect((await actions())[0]!.id).not.toBe(action!.id);
    expect(await counts()).toEqual([1, 1]);
  });

  test('200 for a passed answer after the action was started, and both remain; the finding is marked', async () => {
    await answerRail('fail');
    const [action] = await actions();
    await patch(ines, action!, { status: 'in_progress' });
    await answerRail('pass');
    expect(await findingsOf(ines, inspection)).toMatchObject([{ trigger_cleared: true }]);
    expect(await actions()).toMatchObject([{ status: 'in_progress' }]);
    expect(await counts()).toEqual([1, 1]);
    await answerRail('fail');
    expect(await findingsOf(ines, inspection)).toMatchObject([{ trigger_cleared: false }]);
    expect(await counts()).toEqual([1, 1]);
  });

  test('200 for a passed answer while the action is started, and the finding and the action are either both deleted or both kept', async () => {
    for (let round = 0; round < 8; round += 1) {
      await answerRail('fail');
      const action = (await actions()).at(-1)!;
      const [started] = await Promise.all([
        patch(ines, action, { status: 'in_progress' }),
        answerRail('pass'),
      ]);
      const isKept = started.status === 200;
      expect(isKept ? 200 : 404).toBe(started.status);
      expect((await actions()).map(({ id }) => id).includes(action.id)).toBe(isKept);
      expect(await counts()).toEqual([(await findingsOf(ines, inspection)).length, (await actions()).length]);
      // A finding that was kept is only marked from now on.
      if (isKept) return;
    }
  });
});

describe('PUT /inspections/{inspection_id}/responses in a repeat section that says which unit it is about', () => {
  let ines: Person;
  let inspection: Inspection;
  let yard: { id: string };
  let depot: { id: string };

  const answer = (field_id: string, value: unknown, instance_index = 0) =>
    saved(ines, inspection, { section_id: UNIT, field_id, value, instance_index });
  const actions = (): Promise<CorrectiveAction[]> =>
    ines.correctiveActions.list({ params: { inspection_id: inspection.id } });

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    [yard, depot] = [await newLocation(ines), await newLocation(ines)];
    inspection = await startedInspection(ines, {
      family: { content: UNITS },
      location_id: depot.id,
    });
  });

  test('200 for a failed answer, and the finding and its action have the names, the location and the demand for evidence', async () => {
    await answer(UNIT_NAME, 'Flat 3');
    await answer(UNIT_PLACE, yard.id);
    await answer(CHECKER, ines.adminId);
    await answer(CHECK, 'fail');
    await answer(CHECK, 'fail', 1);
    const { name } = await members.get(ines.caller, ines.adminId);
    expect(await findingsOf(ines, inspection)).toMatchObject([
      { label: 'Flat 3 at Yard: Fail', location_id: yard.id },
      { label: '2 at …: Fail', location_id: null },
    ]);
    expect(await actions()).toMatchObject([
      { title: `Mend Flat 3 for ${name}`, location_id: yard.id, evidence_required: true },
      { title: 'Mend 2 for …', location_id: depot.id, evidence_required: true },
    ]);
  });

  test('200 for later answers, and the finding and its action stay as they were created', async () => {
    await answer(UNIT_PLACE, yard.id);
    await answer(CHECK, 'fail');
    const before = [await findingsOf(ines, inspection), await actions()];
    await answer(UNIT_NAME, 'Flat 4');
    await answer(UNIT_PLACE, depot.id);
    expect([await findingsOf(ines, inspection), await actions()]).toEqual(before);
  });

  test('200 for several failed options, and the most severe one decides', async () => {
    await answer(DEFECTS, ['dust']);
    await answer(DEFECTS, ['dust', 'crack'], 1);
    expect(await findingsOf(ines, inspection)).toMatchObject([
      { label: 'Dust', severity: 'observation' },
      { label: 'Dust, Crack', severity: 'critical' },
    ]);
  });

  test('200 for other failed options, and the severity follows until somebody works on the finding', async () => {
    const found = async () => (await findingsOf(ines, inspection))[0];
    await answer(DEFECTS, ['dust']);
    await answer(DEFECTS, ['dust', 'crack']);
    expect(await found()).toMatchObject({ severity: 'critical', label: 'Dust', version: 2 });
    expect((await eventsOf(ines, inspection.id)).slice(-2)).toContain('finding.updated');
    await answer(DEFECTS, ['dust', 'crack']);
    expect((await found())!.version).toBe(2);
    await answer(DEFECTS, []);
    expect(await found()).toBeUndefined();

    await answer(DEFECTS, ['crack']);
    await answer(DEFECTS, ['dust']);
    const { id } = (await found())!;
    await ines.findings.update({ params: { finding_id: id }, body: { severity: 'major' } });
    await answer(DEFECTS, ['crack']);
    expect(await found()).toMatchObject({ severity: 'major', version: 3 });
    await answer(DEFECTS, []);
    expect(await found()).toMatchObject({ severity: 'major', trigger_cleared: true });
  });

  test('200 for a batch that names the unit after the answer that fails', async () => {
    const at = { section_id: UNIT, instance_index: 2 };
    await ines.answers.save({
      params: { inspection_id: inspection.id },
      body: {
        responses: [
          { ...at, field_id: CHECK, value: 'fail' },
          { ...at, field_id: UNIT_NAME, value: 'Flat 9' },
          { ...at, field_id: UNIT_PLACE, value: yard.id },
        ],
      },
    });
    expect(await findingsOf(ines, inspection)).toMatchObject([
      { label: 'Flat 9 at Yard: Fail', location_id: yard.id },
    ]);
  });

  test('200 for a new location of the inspection, and the actions that have no other follow', async () => {
    await answer(UNIT_PLACE, yard.id);
    await answer(CHECK, 'fail');
    await answer(CHECK, 'fail', 1);
    const third = await newLocation(ines);
    await ines.inspections.update({
      params: { inspection_id: inspection.id },
      body: { location_id: third.id },
    });
    const places = (rows: { location_id: string | null }[]) => rows.map(({ location_id }) => location_id);
    expect(places(await findingsOf(ines, inspection))).toEqual([yard.id, null]);
    expect(places(await actions())).toEqual([yard.id, third.id]);
  });

  test('201 for a finding by hand in the unit and for actions of it, with the location of the unit', async () => {
    await answer(UNIT_PLACE, yard.id, 1);
    const found = (instance: number) =>
      newFinding(ines, { field_id: CHECK, instance_path: `${UNIT}[${instance}]` }, inspection);
    const [inYard, elsewhere] = [await found(1), await found(0)];
    expect([inYard.location_id, elsewhere.location_id]).toEqual([yard.id, null]);
    expect((await newAction(ines, {}, inYard)).location_id).toBe(yard.id);
    expect((await newAction(ines, {}, elsewhere)).location_id).toBe(depot.id);
  });

  test('200 for a correction that makes an answer fail, with the names and the location of the unit', async () => {
    await answer(UNIT_NAME, 'Flat 3');
    await answer(UNIT_PLACE, yard.id);
    await advance(ines.key, inspection);
    const { id } = await ines.corrections.create({
      params: { inspection_id: inspection.id },
      body: { reason: 'Wrong row' },
    });
    await answer(CHECK, 'fail');
    expect(await findingsOf(ines, inspection)).toEqual([]);
    await ines.corrections.close({
      params: { inspection_id: inspection.id, correction_id: id },
    });
    expect(await findingsOf(ines, inspection)).toMatchObject([
      { label: 'Flat 3 at Yard: Fail', location_id: yard.id },
    ]);
  });

  test('201 for a copy of the family, which names its units in the same way', async () => {
    const copy = await ines.families.duplicate({
      params: { family_id: inspection.template_family_id },
    });
    await ines.versions.publishTemplate({ params: { template_id: copy.draft_version_id } });
    inspection = await startedInspection(ines, { template_family_id: copy.id });
    await answer(UNIT_NAME, 'Flat 3');
    await answer(CHECK, 'fail');
    expect(await findingsOf(ines, inspection)).toMatchObject([
      { label: 'Flat 3 at …: Fail', location_id: null },
    ]);
  });
});

describe('POST /templates/{template_id}/publish', () => {
  test('422 for placeholders and a location field that nothing can replace', async () => {
    const ines = await newPerson('Ines, inspector');
    const [unit] = structuredClone(UNITS.sections);
    unit!.repeat.location_field_id = UNIT_NAME;
    unit!.fields[2] = field(53, 'pass_fail_na', {
      finding: { create: 'auto', label: '{room}', corrective_action: { title: `{field:${uuid(99)}}` } },
    });
    const { draft_version_id } = await draftedFamily(ines.key, { content: { sections: [unit] } });
    const refused = await ines.try.versions.publishTemplate({ params: { template_id: draft_version_id! } });
    expect(refused.status).toBe(422);
    expect(locs(refused)).toEqual([
      'content.sections.0.repeat.location_field_id',
      'content.sections.0.fields.2.finding.label',
      'content.sections.0.fields.2.finding.corrective_action.title',
    ]);
  });
});

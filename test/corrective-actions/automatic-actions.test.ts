import * as listCorrectiveActions from '../../functions/corrective-actions/list-corrective-actions.ts';
import { keys } from '../../shared/db/table/keys.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { findingsOf, inspectionOf, saved } from '../answers/fixtures.ts';
import { startedInspection, eventsOf, sortKeys } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { historyOf, patch } from './fixtures.ts';

const RAIL = uuid(2);
const rail = (corrective_action: object) =>
  field(2, 'pass_fail_na', { finding: { create: 'auto', severity: 'major', corrective_action } });

describe('PUT /inspections/{inspection_id}/responses for a field with an automatic corrective action', () => {
  let ines: Person;
  let inspection: { id: string };

  const answerRail = (value: string) => saved(ines, inspection, { field_id: RAIL, value });
  const actions = (): Promise<CorrectiveAction[]> =>
    as(ines).must.get(listCorrectiveActions, { params: { inspection_id: inspection.id } });
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
    expect(await sortKeys(ines, keys.reference(ines.caller, 'ACTION', '').pk)).toEqual([]);
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

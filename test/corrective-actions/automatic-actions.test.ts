import * as listCorrectiveActions from '../../functions/corrective-actions/list-corrective-actions.ts';
import { keys } from '../../shared/db/table/keys.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { findingsOf, inspectionOf, saved } from '../answers/fixtures.ts';
import { begun, eventsOf, sortKeys } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, field, uuid } from '../templates/fixtures.ts';
import { historyOf, patch } from './fixtures.ts';

const RAIL = uuid(2);
const rail = (corrective_action: object) =>
  field(2, { type: 'pass_fail_na', finding: { create: 'auto', severity: 'major', corrective_action } });

describe('an answer that fails where the template asks for an action', () => {
  let ines: Person;
  let inspection: { id: string };

  const answered = (value: string) => saved(ines, inspection, { field_id: RAIL, value });
  const actions = (): Promise<CorrectiveAction[]> =>
    made(listCorrectiveActions, { as: ines.key, params: { inspection_id: inspection.id } });
  const counts = async () => {
    const { findings_count, open_corrective_actions_count } = await inspectionOf(ines, inspection);
    return [findings_count, open_corrective_actions_count];
  };

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    const content = contentWith(rail({ title: 'Fix the rail', due_in_days: 3, priority: 'high' }));
    inspection = await begun(ines, { family: { content } });
  });

  test('makes it with the finding, due so many days later', async () => {
    await answered('fail');
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

  test('takes both away again when it is answered back, and leaves no row of them', async () => {
    await answered('fail');
    const [action] = await actions();
    await answered('pass');
    expect([await findingsOf(ines, inspection), await actions()]).toEqual([[], []]);
    expect(await counts()).toEqual([0, 0]);
    expect(await sortKeys(ines, keys.below(ines.caller, 'ACTION', action!.id))).toEqual([]);
    expect(await sortKeys(ines, keys.reference(ines.caller, 'ACTION', '').pk)).toEqual([]);
    await answered('fail');
    expect((await actions())[0]!.id).not.toBe(action!.id);
    expect(await counts()).toEqual([1, 1]);
  });

  test('keeps both once somebody has taken the action up, and marks the finding', async () => {
    await answered('fail');
    const [action] = await actions();
    await patch(ines, action!, { status: 'in_progress' });
    await answered('pass');
    expect(await findingsOf(ines, inspection)).toMatchObject([{ trigger_cleared: true }]);
    expect(await actions()).toMatchObject([{ status: 'in_progress' }]);
    expect(await counts()).toEqual([1, 1]);
    await answered('fail');
    expect(await findingsOf(ines, inspection)).toMatchObject([{ trigger_cleared: false }]);
    expect(await counts()).toEqual([1, 1]);
  });

  test('answered back beside somebody who takes the action up: it is gone, or kept, never half', async () => {
    for (let round = 0; round < 8; round += 1) {
      await answered('fail');
      const action = (await actions()).at(-1)!;
      const [taken] = await Promise.all([patch(ines, action, { status: 'in_progress' }), answered('pass')]);
      const isKept = taken.status === 200;
      expect(isKept ? 200 : 404).toBe(taken.status);
      expect((await actions()).map(({ id }) => id).includes(action.id)).toBe(isKept);
      expect(await counts()).toEqual([(await findingsOf(ines, inspection)).length, (await actions()).length]);
      // A finding that was kept would only be marked again.
      if (isKept) return;
    }
  });
});

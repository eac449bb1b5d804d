import * as createReport from '../../functions/reports/create-report.ts';
import * as getReportPayload from '../../functions/reports/get-report-payload.ts';
import * as correctiveActions from '../../shared/db/corrective-actions/corrective-actions.ts';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { shownState } from '../../shared/db/reports/reports.ts';
import { newDocument } from '../answers/fixtures.ts';
import { moved, newAction, newFinding, patch } from '../corrective-actions/fixtures.ts';
import { begun } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';

describe('GET /inspections/{inspection_id}/report-payload', () => {
  let ines: Person;
  let inspection: { id: string };
  const payload = () =>
    made(getReportPayload, { as: ines.readOnlyKey, params: { inspection_id: inspection.id } });

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    inspection = await begun(ines);
  });

  test('200 with what is done about each finding, by whom and by when', async () => {
    const first = await newFinding(ines, {}, inspection);
    const second = await newFinding(ines, {}, inspection);
    const late = await newAction(ines, { due_at: '2020-01-01T00:00:00Z' }, second);
    const action = await newAction(
      ines,
      { title: 'Weld it', description: 'TIG', priority: 'high', assignee_id: ines.caller.user_id },
      first,
    );
    await moved(ines, action, 'in_progress');
    const { body } = await patch(ines, action, {
      status: 'pending_verification',
      completion_note: 'Welded',
    });
    expect((await payload()).corrective_actions).toEqual([
      expect.objectContaining({
        number: late.number,
        finding_number: second.number,
        assignee_name: null,
        is_overdue: true,
        due_at: '2020-01-01T00:00:00.000Z',
      }),
      {
        id: action.id,
        number: action.number,
        finding_number: first.number,
        title: 'Weld it',
        description: 'TIG',
        priority: 'high',
        status: 'pending_verification',
        is_overdue: false,
        assignee_name: ines.caller.name,
        due_at: null,
        completed_at: body.completed_at,
        completion_note: 'Welded',
        verified_at: null,
      },
    ]);
  });

  test('what it shows of findings and actions is another state once they change, a comment is not', async () => {
    const { caller } = ines;
    const state = async () => shownState(await inspections.get(caller, inspection.id));
    const finding = await newFinding(ines, {}, inspection);
    const action = await newAction(ines, {}, finding);
    const document_id = await newDocument(ines);
    let before = await state();
    await correctiveActions.comment(caller, action.id, { note: 'Parts are ordered' });
    await correctiveActions.attach(caller, action.id, { document_id, stage: 'before', caption: '' });
    await made(createReport, { as: ines.key, params: { inspection_id: inspection.id }, body: {} });
    expect(await state()).toBe(before);
    for (const edit of [
      () => patch(ines, action, { title: 'Weld it' }),
      () => patch(ines, action, { status: 'in_progress' }),
      () => newAction(ines, {}, finding),
      () => newFinding(ines, {}, inspection),
    ]) {
      await edit();
      expect(await state()).not.toBe(before);
      before = await state();
    }
  });
});

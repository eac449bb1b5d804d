import * as inspections from '../../shared/inspections/steps.ts';
import type { InspectionActivity } from '../../shared/schemas/inspections/activity.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../shared/table/keys.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { answering, newDocument, PHOTO, saved } from '../answers/fixtures.ts';
import { newFinding } from '../corrective-actions/fixtures.ts';
import { uuid } from '../support/content.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import {
  advance,
  newColleague,
  newInspection,
  NOTHING_REQUIRED,
  sortKeys,
  start,
  startedInspection,
} from './fixtures.ts';

let ana: Person;
beforeEach(async () => {
  ana = await newPerson('Ana');
});

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
const activityOf = (inspection: { id: string }, query = {}): Promise<InspectionActivity[]> =>
  ana.inspections.listActivity({ ...of(inspection), query });
const kindsOf = async (inspection: { id: string }) => (await activityOf(inspection)).map(({ kind }) => kind);

const APPROVED = {
  ...NOTHING_REQUIRED,
  requires_approval: true,
  requires_sign_off: true,
  settings: { approval: { allow_api: true, four_eyes: false } },
};

describe('GET /inspections/{inspection_id}/activity', () => {
  test('200 with every step and decision, and no comment is overwritten', async () => {
    const lea = await newColleague(ana, 'Lea');
    const begins = await newInspection(ana, {
      family: APPROVED,
      participants: [{ user_id: ana.caller.user_id }],
      approver_id: lea.user_id,
    });
    await start(ana.key, begins);
    await advance(ana.key, begins, { comment: 'Done' });
    await advance(lea.key, begins, { decision: 'request_changes', comment: 'Blurred' });
    await advance(ana.key, begins);
    await advance(lea.key, begins, { decision: 'approve', comment: 'Sharp' });
    await advance(lea.key, begins, { sign_off: { signed_name: 'Lea Moss' } });
    await ana.inspections.archive(of(begins));
    await ana.inspections.restore(of(begins));
    const [me, her] = [ana.caller.user_id, lea.user_id];
    const entries = await activityOf(begins);
    expect(
      entries.map(({ kind, actor_id, from, to, comment }) => [kind, actor_id, from, to, comment]),
    ).toEqual([
      ['created', me, null, 'scheduled', ''],
      ['started', me, 'scheduled', 'in_progress', ''],
      ['part_submitted', me, null, null, ''],
      ['submitted', me, 'in_progress', 'pending_approval', 'Done'],
      ['changes_requested', her, 'pending_approval', 'in_progress', 'Blurred'],
      ['part_reopened', her, null, null, ''],
      ['part_submitted', me, null, null, ''],
      ['submitted', me, 'in_progress', 'pending_approval', ''],
      ['approved', her, 'pending_approval', 'pending_sign_off', 'Sharp'],
      ['signed', her, 'pending_sign_off', 'completed', 'Lea Moss'],
      ['archived', me, 'completed', 'archived', ''],
      ['restored', me, 'archived', 'completed', ''],
    ]);
    expect(entries[0]).toMatchObject({ user_ids: [me], key_id: ana.caller.key_id });
    expect(entries[8]).toMatchObject({ key_id: lea.id });
  });

  test('200 with refusals to sign, and with signatures that a request for changes has dropped', async () => {
    const begins = await startedInspection(ana, {
      family: {
        ...NOTHING_REQUIRED,
        requires_sign_off: true,
        settings: { sign_off: { signatures_required: 3 } },
      },
    });
    await advance(ana.key, begins);
    await advance(ana.key, begins, { sign_off: { signed_name: 'Eve' } });
    const refusal = { decision: 'decline', comment: 'Not agreed', sign_off: { signed_name: 'Tom' } };
    await advance(ana.key, begins, refusal);
    const request = { decision: 'request_changes', comment: 'Wrong room' } as const;
    await inspections.advance(operatorOf(ana), begins.id, request);
    const told = (await activityOf(begins)).slice(3);
    expect(told.map(({ kind, from, to, comment }) => [kind, from, to, comment])).toEqual([
      ['signed', 'pending_sign_off', 'pending_sign_off', 'Eve'],
      ['declined', 'pending_sign_off', 'pending_sign_off', 'Tom: Not agreed'],
      ['changes_requested', 'pending_sign_off', 'in_progress', 'Wrong room'],
    ]);
  });

  test('200 with assignments, reopenings, and a rejection by a person', async () => {
    const lea = await newColleague(ana, 'Lea');
    const begins = await startedInspection(ana, {
      family: APPROVED,
      participants: [{ user_id: ana.caller.user_id }, { user_id: lea.user_id }],
    });
    await advance(ana.key, begins);
    await ana.inspections.reopenPart(of(begins));
    await ana.inspections.update({
      ...of(begins),
      body: { participants: [{ user_id: ana.caller.user_id }], approver_id: lea.user_id },
    });
    await advance(ana.key, begins);
    const operator = operatorOf(ana);
    await inspections.advance(operator, begins.id, { decision: 'reject', comment: 'No' });
    const [me, her] = [ana.caller.user_id, lea.user_id];
    const told = (await activityOf(begins)).slice(2);
    expect(told.map(({ kind, user_ids, from, to }) => [kind, user_ids, from, to])).toEqual([
      ['part_submitted', [me], null, null],
      ['part_reopened', [me], null, null],
      ['unassigned', [her], null, null],
      ['approver_changed', [], null, her],
      ['part_submitted', [me], null, null],
      ['submitted', [], 'in_progress', 'pending_approval'],
      ['rejected', [], 'pending_approval', 'archived'],
    ]);
    expect(told.at(-1)).toMatchObject({ comment: 'No', actor_id: operator.user_id, key_id: null });
  });

  test('200 with documents that were removed, and reports', async () => {
    const inspection = await answering(ana);
    const [first, second, third] = [await newDocument(ana), await newDocument(ana), await newDocument(ana)];
    const show = (...ids: string[]) =>
      saved(ana, inspection, { field_id: PHOTO, value: ids.map((document_id) => ({ document_id })) });
    await show(first, second);
    await show(second);
    const finding = await newFinding(ana, { content: { media: [{ document_id: third }] } }, inspection);
    const params = { finding_id: finding.id };
    await ana.findings.updateContent({ params, body: { media: [] } });
    const report = await ana.reports.create({ ...of(inspection), body: {} });
    const told = (await activityOf(inspection)).slice(2);
    expect(told).toMatchObject([
      { kind: 'documents_removed', document_ids: [first] },
      { kind: 'documents_removed', document_ids: [third] },
      { kind: 'report_requested', report_id: report.id },
    ]);
    expect(told).toHaveLength(3);
  });

  test('200 with the corrections, and those of one alone', async () => {
    const inspection = await advance(ana.key, await startedInspection(ana, { family: NOTHING_REQUIRED }));
    const ids: string[] = [];
    for (const reason of ['Misread', 'Misheard']) {
      const { id } = await ana.corrections.create({ ...of(inspection), body: { reason } });
      await ana.inspections.update({ ...of(inspection), body: { name: reason } });
      await ana.corrections.close({ params: { ...of(inspection).params, correction_id: id } });
      ids.push(id);
    }
    const [, second] = ids;
    const told = await activityOf(inspection, { correction_id: second });
    expect(told).toMatchObject([
      { kind: 'correction_opened', comment: 'Misheard', correction_id: second },
      { kind: 'correction_closed', from: 'open', to: 'closed', correction_id: second },
    ]);
    expect((await kindsOf(inspection)).filter((kind) => kind.startsWith('correction_'))).toHaveLength(4);
    expect(await activityOf(inspection, { correction_id: uuid(404) })).toEqual([]);
  });

  test('404 for a deleted inspection, and nothing of its history remains', async () => {
    const inspection = await newInspection(ana, { family: NOTHING_REQUIRED });
    expect((await ana.try.inspections.delete(of(inspection))).status).toBe(204);
    expect((await ana.try.inspections.listActivity(of(inspection))).status).toBe(404);
    await deleteRemains(ana.caller, { inspection_id: inspection.id }, Date.now() + 3_600_000);
    expect(await sortKeys(ana, keys.below(ana.caller, 'INSPECTION', inspection.id))).toEqual([]);
  });

  test('200 and a duplicate begins a history of its own; nothing is added by what changes nothing', async () => {
    const inspection = await startedInspection(ana, { family: NOTHING_REQUIRED });
    await ana.inspections.update({ ...of(inspection), body: { name: inspection.name } });
    expect(await kindsOf(inspection)).toEqual(['created', 'started']);
    const copy: Inspection = await ana.inspections.duplicate(of(inspection));
    expect(await kindsOf(copy)).toEqual(['created']);
  });
});

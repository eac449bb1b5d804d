import * as approveCorrection from '../../functions/corrections/approve-correction.ts';
import * as rejectCorrection from '../../functions/corrections/reject-correction.ts';
import * as requestCorrectionChanges from '../../functions/corrections/request-correction-changes.ts';
import * as errors from '../../shared/base/errors.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { renderReport } from '../../shared/reports/render.ts';
import type { InspectionActivity } from '../../shared/schemas/inspections/activity.ts';
import type { Correction } from '../../shared/schemas/inspections/correction.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf, inspectionOf, recordsOf, save, saved } from '../answers/fixtures.ts';
import { advance, eventsOf, newColleague, startedInspection } from '../inspections/fixtures.ts';
import { as, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import { signIn } from '../support/signed-in.ts';
import { at, closeOf, of, openCorrection, patchOf, revisionsOf } from './fixtures.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();

const CONTENT = {
  ...contentWith(
    field(2),
    field(3, 'pass_fail_na', { finding: { create: 'auto' } }),
    field(4, 'pass_fail_na', { finding: { create: 'auto' } }),
  ),
  start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
  scoring: { enabled: true, unanswered: 'exclude' },
};

type Colleague = Awaited<ReturnType<typeof newColleague>>;

let ana: Person;
let lea: Colleague;
beforeEach(async () => {
  ana = await newPerson('Ana');
  lea = await newColleague(ana, 'Lea');
});

/** A completed inspection that was approved and signed: a name, a failed rail. */
const completed = async (approval: object = {}): Promise<Inspection> => {
  const begins = await startedInspection(ana, {
    family: {
      content: CONTENT,
      requires_approval: true,
      requires_sign_off: true,
      settings: { correction_mode: 'reapprove', approval: { allow_api: true, ...approval } },
    },
    participants: [{ user_id: ana.caller.user_id }, { user_id: lea.user_id, role: 'approver' }],
    start_answers: { site: 'North' },
  });
  await saved(ana, begins, { field_id: uuid(2), value: 'Crane' });
  await saved(ana, begins, { field_id: uuid(3), value: 'fail' });
  await advance(ana.key, begins);
  await advance(lea.key, begins, { decision: 'approve' });
  return advance(lea.key, begins, { sign_off: { signed_name: 'Lea' } });
};

/** A correction that awaits approval: the name, the rail, another item and the site. */
const pendingOf = async (inspection: Inspection): Promise<Correction> => {
  const correction = await openCorrection(ana, inspection);
  await saved(ana, inspection, { field_id: uuid(2), value: 'Hoist' });
  await saved(ana, inspection, { field_id: uuid(3), value: 'pass' });
  await saved(ana, inspection, { field_id: uuid(4), value: 'fail' });
  await patchOf(ana, inspection, { start_answers: { site: 'South' } });
  expect((await closeOf(ana, correction)).status).toBe(200);
  return correction;
};

const notifiedOf = async (key: string) => {
  const { items } = await as(key).notifications.listMy();
  return items
    .filter(({ event }: { event: string }) => event.startsWith('correction_'))
    .map(({ event, note }: { event: string; note: string }) => [event, note]);
};

/** What an inspection was completed with. */
const record = ({
  status,
  completed_at,
  approved_at,
  approval_outcome,
  signed_off_at,
  ...rest
}: Inspection) => {
  const { score, findings_count, open_corrective_actions_count, participants } = rest;
  return {
    status,
    completed_at,
    approved_at,
    approval_outcome,
    signed_off_at,
    score,
    findings_count,
    open_corrective_actions_count,
    participants,
  };
};

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/close', () => {
  test('200 and the correction awaits approval, while the inspection stays as it was completed', async () => {
    const inspection = await completed();
    expect(inspection.correction_status).toBe('none');
    const correction = await pendingOf(inspection);
    const pending = await inspectionOf(ana, inspection);
    expect(record(pending)).toEqual(record(inspection));
    expect(pending).toMatchObject({
      correction_status: 'pending_approval',
      active_correction_id: correction.id,
      signatures: [{ signed_name: 'Lea', before_correction: null }],
    });
    expect(await ana.corrections.get(at(correction))).toMatchObject({
      status: 'pending_approval',
      number: null,
      closed_by: ana.caller.user_id,
      decision: null,
      revisions_count: 4,
    });
    const listed = await ana.inspections.list({ query: { status: ['completed'] } });
    expect(listed.map(({ id }: Inspection) => id)).toEqual([inspection.id]);
    expect(await findingsOf(ana, inspection)).toMatchObject([{ trigger_cleared: false }]);
    expect(await notifiedOf(lea.key)).toEqual([['correction_approval_requested', 'Misread']]);
    expect((await eventsOf(ana, inspection.id)).at(-1)).toBe('inspection.updated');
  });

  test('200, and changes are locked until the decision: 409 for an answer, the setup, and a second end', async () => {
    const inspection = await completed();
    const correction = await pendingOf(inspection);
    expect((await save(ana, inspection, { field_id: uuid(2), value: 'x' })).status).toBe(409);
    expect((await patchOf(ana, inspection, { name: 'x' })).status).toBe(409);
    expect((await closeOf(ana, correction)).body.detail).toBe(
      errors.correctionNotOpen('pending_approval').detail,
    );
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/approve', () => {
  test('200 and it takes effect: score, findings, signatures and reports follow', async () => {
    const inspection = await completed();
    const report = await ana.reports.create({ ...of(inspection), body: {} });
    await renderReport(ana.caller, inspection.id, report.id);
    const correction = await pendingOf(inspection);
    const answer = await as(lea.key).try.corrections.approve({
      ...at(correction),
      body: { comment: 'Seen' },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({
        status: 'closed',
        number: 1,
        closed_by: ana.caller.user_id,
        decision: 'approved',
        decided_by: lea.user_id,
        comment: 'Seen',
      }),
    ]);
    const after = await inspectionOf(ana, inspection);
    expect(record(after)).toEqual({
      ...record(inspection),
      findings_count: 2,
      score: { percentage: 50, points: 1, max: 2, result: 'pass' },
    });
    expect(after).toMatchObject({
      correction_status: 'none',
      active_correction_id: null,
      signatures: [{ signed_name: 'Lea', before_correction: 1 }],
    });
    expect((await findingsOf(ana, inspection)).map(({ trigger_cleared }) => trigger_cleared)).toEqual([
      true,
      false,
    ]);
    expect(await ana.reports.list(of(inspection))).toMatchObject([{ is_stale: true }]);
    expect(await notifiedOf(ana.key)).toEqual([['correction_approved', 'Seen']]);
    const events = await eventsOf(ana, inspection.id);
    expect(events.filter((type) => type === 'inspection.corrected')).toHaveLength(1);
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0, unsettled: 0 });
  });

  test('403 for whoever opened the correction, and for whoever closed it: these are four people', async () => {
    await organizations.update(
      operatorOf(ana),
      { four_eyes_verification: true },
      undefined,
      async () => null,
    );
    const [max, noa] = [await newColleague(ana, 'Max'), await newColleague(ana, 'Noa')];
    // Otherwise they could not approve because they have worked on the inspection.
    const inspection = await completed({ four_eyes: false });
    const approvers = [lea, max, noa].map(({ user_id }) => ({ user_id, role: 'approver' }));
    await patchOf(ana, inspection, { participants: [{ user_id: ana.caller.user_id }, ...approvers] });
    const correction = await as(lea.key).corrections.create({
      ...of(inspection),
      body: { reason: 'x' },
    });
    await saved(ana, inspection, { field_id: uuid(2), value: 'Hoist' });
    await as(max.key).corrections.close(at(correction));
    const approve = ({ key }: Colleague) => as(key).try.corrections.approve(at(correction));
    for (const refused of [await approve(lea), await approve(max)])
      expect([refused.status, refused.body.detail]).toEqual([403, errors.ownCorrection().detail]);
    expect((await approve(noa)).status).toBe(200);
  });

  test('200, and the second correction does not change which one a signature came before', async () => {
    const inspection = await completed();
    for (const value of ['Hoist', 'Lift']) {
      const correction = await openCorrection(ana, inspection);
      await saved(ana, inspection, { field_id: uuid(2), value });
      await closeOf(ana, correction);
      await as(lea.key).corrections.approve(at(correction));
    }
    const { signatures } = await inspectionOf(ana, inspection);
    expect(signatures).toMatchObject([{ before_correction: 1 }]);
  });

  test('200 for a correction that has changed nothing, and the signatures stay as they are', async () => {
    const inspection = await completed();
    const correction = await openCorrection(ana, inspection);
    await closeOf(ana, correction);
    expect((await as(lea.key).try.corrections.approve(at(correction))).status).toBe(200);
    expect((await inspectionOf(ana, inspection)).signatures).toMatchObject([{ before_correction: null }]);
  });

  test('200 for one of many concurrent decisions, and 409 for the others', async () => {
    const inspection = await completed();
    const correction = await pendingOf(inspection);
    const decisions = [approveCorrection, rejectCorrection, approveCorrection, rejectCorrection];
    const answers = await Promise.all(decisions.map((each) => as(lea.key).call(each, at(correction))));
    expect(statusCounts(answers)).toEqual({ 200: 1, 409: 3 });
    const { status } = await ana.corrections.get(at(correction));
    const [first] = await recordsOf(ana, inspection);
    expect(first!.value).toBe(status === 'closed' ? 'Hoist' : 'Crane');
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
  });

  test('403 for a participant who had a part, and 409 while the correction is open', async () => {
    const inspection = await completed();
    const open = await openCorrection(ana, inspection);
    const early = await as(lea.key).try.corrections.approve(at(open));
    expect([early.status, early.body.detail]).toEqual([409, errors.correctionNotPending('open').detail]);
    await closeOf(ana, open);
    const own = await ana.try.corrections.approve(at(open));
    expect([own.status, own.body.detail]).toEqual([403, errors.ownWork('inspection').detail]);
  });

  test('200 when it is called again after a failure between its steps, by whomever', async () => {
    const inspection = await completed();
    const correction = await pendingOf(inspection);
    let transactions = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (transactions += 1) > 2,
      async () => {
        throw sdkError('ValidationException');
      },
    );
    const broken = await withFault(breakOff, () => as(lea.key).try.corrections.approve(at(correction)));
    expect(broken.status).toBe(500);
    expect((await inspectionOf(ana, inspection)).correction_status).toBe('pending_approval');
    const reject = await as(lea.key).try.corrections.reject(at(correction));
    expect(reject.body.detail).toBe(errors.correctionNotPending('being approved').detail);
    const { status, body } = await ana.try.corrections.approve(at(correction));
    expect([status, body.decided_by]).toEqual([200, lea.user_id]);
    expect(await findingsOf(ana, inspection)).toHaveLength(2);
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
  });
});

describe('POST /app/inspections/{inspection_id}/corrections/{correction_id}/decision', () => {
  test.each([
    ['approve', { status: 'closed', decision: 'approved' }],
    ['request_changes', { status: 'open', decision: 'changes_requested' }],
    ['reject', { status: 'rejected', decision: 'rejected' }],
  ])('200 decideCorrection with %s, and the person who has signed in has decided', async (decision, made) => {
    const correction = await pendingOf(await completed());
    const eve = await signIn(ana, 'approver');
    const answer = await as(eve).try.corrections.decide({
      ...at(correction),
      body: { decision, comment: 'Seen' },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ ...made, comment: 'Seen', decided_by: eve.userId, decided_via_key_id: null }),
    ]);
  });

  test('422 for request_changes without a comment', async () => {
    const correction = await pendingOf(await completed());
    const body = { decision: 'request_changes' };
    const { status } = await as(await signIn(ana)).try.corrections.decide({ ...at(correction), body });
    expect(status).toBe(422);
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/request-changes', () => {
  test('200 and the correction is open again, and its revisions go on', async () => {
    const inspection = await completed();
    const correction = await pendingOf(inspection);
    const body = { comment: 'Which hoist?' };
    const answer = await as(lea.key).try.corrections.requestChanges({ ...at(correction), body });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ status: 'open', closed_by: null, decision: 'changes_requested', ...body }),
    ]);
    expect(await inspectionOf(ana, inspection)).toMatchObject({ correction_status: 'open' });
    expect(await notifiedOf(ana.key)).toEqual([['correction_changes_requested', 'Which hoist?']]);
    await saved(ana, inspection, { field_id: uuid(2), value: 'Hoist 7' });
    expect((await closeOf(ana, correction)).body).toMatchObject({ status: 'pending_approval' });
    expect((await revisionsOf(ana, correction)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 5]);
    expect((await as(lea.key).try.corrections.approve(at(correction))).status).toBe(200);
  });

  test('422 without a comment', async () => {
    const correction = await pendingOf(await completed());
    expect((await as(lea.key).try.corrections.requestChanges(at(correction))).status).toBe(422);
    const body = { comment: ' ' };
    expect((await as(lea.key).try.corrections.requestChanges({ ...at(correction), body })).status).toBe(422);
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/reject', () => {
  test('200 and the answers go back, as revisions, and the inspection stays as it was', async () => {
    const inspection = await completed();
    const before = await recordsOf(ana, inspection);
    const correction = await pendingOf(inspection);
    const answer = await as(lea.key).try.corrections.reject({ ...at(correction), body: { comment: 'No' } });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ status: 'rejected', number: null, decision: 'rejected', revisions_count: 8 }),
    ]);
    const values = (records: typeof before) => records.map(({ field_id, value }) => [field_id, value]);
    expect(values(await recordsOf(ana, inspection))).toEqual(values(before));
    const after = await inspectionOf(ana, inspection);
    expect(record(after)).toEqual(record(inspection));
    expect(after).toMatchObject({
      correction_status: 'none',
      start_answers: { site: 'North' },
      progress: inspection.progress,
      signatures: [{ before_correction: null }],
    });
    const rows = await revisionsOf(ana, correction, { include_start: true });
    expect(
      rows
        .slice(4)
        .map(({ field_id, previous_value, value, changed_by }) => [
          field_id,
          previous_value,
          value,
          changed_by,
        ]),
    ).toEqual([
      [uuid(2), 'Hoist', 'Crane', lea.user_id],
      [uuid(3), 'pass', 'fail', lea.user_id],
      [uuid(4), 'fail', null, lea.user_id],
      ['site', 'South', 'North', lea.user_id],
    ]);
    expect(await notifiedOf(ana.key)).toEqual([['correction_rejected', 'No']]);
    expect(await eventsOf(ana, inspection.id)).not.toContain('inspection.corrected');
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
    expect((await openCorrection(ana, inspection)).status).toBe('open');
  });
});

describe('GET /inspections/{inspection_id}/activity of a correction', () => {
  const toldOf = async ({ inspection_id, id: correction_id }: Correction) => {
    const params = { inspection_id };
    const entries = await ana.inspections.listActivity({ params, query: { correction_id } });
    return entries.map(({ kind, actor_id, from, to, comment }: InspectionActivity) => [
      kind,
      actor_id === lea.user_id ? 'Lea' : 'Ana',
      from,
      to,
      comment,
    ]);
  };

  test('200 with every decision and its comment, also those that were made before the last', async () => {
    const inspection = await completed();
    const correction = await pendingOf(inspection);
    const decided = (endpoint: typeof approveCorrection | typeof requestCorrectionChanges, comment: string) =>
      as(lea.key).must(endpoint, { ...at(correction), body: { comment } });
    await decided(requestCorrectionChanges, 'Which hoist?');
    await closeOf(ana, correction);
    await decided(approveCorrection, 'Seen');
    expect(await toldOf(correction)).toEqual([
      ['correction_opened', 'Ana', null, 'open', 'Misread'],
      ['correction_submitted', 'Ana', 'open', 'pending_approval', ''],
      ['correction_changes_requested', 'Lea', 'pending_approval', 'open', 'Which hoist?'],
      ['correction_submitted', 'Ana', 'open', 'pending_approval', ''],
      ['correction_approved', 'Lea', 'pending_approval', 'closed', 'Seen'],
    ]);
  });

  test('200 with a rejection, and with the end of one that was discarded', async () => {
    const inspection = await completed();
    const rejected = await pendingOf(inspection);
    await as(lea.key).corrections.reject({ ...at(rejected), body: { comment: 'No' } });
    const discarded = await openCorrection(ana, inspection);
    await ana.corrections.discard(at(discarded));
    const last = async (correction: Correction) => (await toldOf(correction)).at(-1);
    expect(await last(rejected)).toEqual([
      'correction_rejected',
      'Lea',
      'pending_approval',
      'rejected',
      'No',
    ]);
    expect(await last(discarded)).toEqual(['correction_discarded', 'Ana', 'open', 'discarded', '']);
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/discard', () => {
  test('200 for one that awaits approval, by whoever may not decide', async () => {
    const inspection = await completed();
    const correction = await pendingOf(inspection);
    expect((await ana.try.corrections.discard(at(correction))).status).toBe(200);
    expect(await inspectionOf(ana, inspection)).toMatchObject({
      correction_status: 'none',
      start_answers: { site: 'North' },
    });
  });
});

describe('GET /inspections/{inspection_id}/report-payload', () => {
  const payloadOf = (inspection: Inspection) => ana.reports.getPayload(of(inspection));

  test('200 and it shows what is in force, and names the correction that awaits approval', async () => {
    const inspection = await completed();
    const whole = await payloadOf(inspection);
    const correction = await pendingOf(inspection);
    const pending = await payloadOf(inspection);
    for (const part of ['summary', 'start', 'sections', 'findings', 'signatures', 'inspection']) {
      expect(pending[part]).toEqual(whole[part]);
    }
    expect(pending.corrections).toMatchObject([
      { status: 'pending_approval', approved_at: null, changes: [{}, {}, {}, {}] },
    ]);
    await as(lea.key).corrections.approve(at(correction));
    const approved = await payloadOf(inspection);
    expect(approved.corrections).toMatchObject([{ status: 'closed', approved_by_name: 'Lea' }]);
    expect(approved.signatures).toMatchObject([{ before_correction: 1 }]);
    expect(approved.findings).toHaveLength(2);
  });

  test('200 without the correction that was rejected', async () => {
    const inspection = await completed();
    const whole = await payloadOf(inspection);
    await as(lea.key).corrections.reject(at(await pendingOf(inspection)));
    const { corrections, sections } = await payloadOf(inspection);
    expect(corrections).toEqual([]);
    expect(JSON.stringify(sections).replaceAll(/"answered_at":"[^"]*"/g, '')).toBe(
      JSON.stringify(whole.sections).replaceAll(/"answered_at":"[^"]*"/g, ''),
    );
  });
});

import * as errors from '../../shared/base/errors.ts';
import { stepRefusal } from '../../shared/domain/corrective-actions.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import { findingsOf, inspectionOf, saved, usedBy } from '../answers/fixtures.ts';
import { newDocument } from '../documents/scenarios.ts';
import { eventsOf, startedInspection } from '../inspections/fixtures.ts';
import { locs, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import {
  actionOf,
  attach,
  completedAction,
  findingOf,
  historyOf,
  moveThrough,
  newAction,
  newFinding,
  patch,
} from './fixtures.ts';

type At = { id: string };

let ines: Person;

const ON_SITE = { title: 'Wipe it', completed_on_site: true };
const create = (finding: At, body: object = {}, headers: Record<string, string> = {}) =>
  ines.try.correctiveActions.create({
    params: { finding_id: finding.id },
    body: { ...ON_SITE, ...body },
    headers,
  });
const openIn = async (id: string) => (await inspectionOf(ines, { id })).open_corrective_actions_count;
const setFourEyes = (four_eyes_verification: boolean | null) =>
  organizations.update(operatorOf(ines), { four_eyes_verification }, undefined, async () => null);

/** The finding and the action that a failed answer creates, where the template asks for evidence. */
const automatic = async (): Promise<{ finding: Finding; action: CorrectiveAction }> => {
  const corrective_action = { title: 'Wipe it', evidence_required: true };
  const asked = field(2, 'pass_fail_na', { finding: { create: 'auto', corrective_action } });
  const inspection = await startedInspection(ines, { family: { content: contentWith(asked) } });
  await saved(ines, inspection, { field_id: uuid(2), value: 'fail' });
  const [finding] = await findingsOf(ines, inspection);
  const [action] = await ines.correctiveActions.list({
    params: { inspection_id: inspection.id },
  });
  return { finding: finding!, action };
};

const DONE = {
  status: 'verified',
  completed_on_site: true,
  completed_at: expect.any(String),
  verified_at: expect.any(String),
};

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
});

describe('POST /findings/{finding_id}/corrective-actions with completed_on_site', () => {
  test('201 with a verified action and its evidence; the finding is resolved', async () => {
    const finding = await newFinding(ines);
    const { id: document_id } = await newDocument(ines);
    const { status, body } = await create(finding, {
      completion_note: 'Wiped',
      evidence: [{ document_id, caption: 'Clean' }],
      evidence_required: true,
    });
    expect(status).toBe(201);
    const { user_id } = ines.caller;
    expect(body).toMatchObject({
      ...DONE,
      completed_by: user_id,
      verified_by: user_id,
      completion_note: 'Wiped',
      evidence_count: 1,
      version: 1,
    });
    expect(await actionOf(ines, body)).toMatchObject(body);
    expect(await findingOf(ines, finding.id)).toEqual({
      ...finding,
      status: 'resolved',
      resolved_at: expect.any(String),
      resolved_by: user_id,
      names_then: expect.any(Object),
      corrective_actions_count: 1,
      version: 2,
      updated_at: expect.any(String),
    });
    expect(await openIn(finding.inspection_id)).toBe(0);
    expect(await historyOf(ines, body)).toMatchObject([
      { kind: 'created', from: null, to: 'verified', note: 'Wiped' },
    ]);
    const attached = await ines.correctiveActions.listAttachments({ params: { ca_id: body.id } });
    expect(attached).toMatchObject([{ document_id, stage: 'after', caption: 'Clean' }]);
    expect(await usedBy(ines, document_id)).toBe(1);
    expect((await eventsOf(ines, finding.inspection_id)).slice(-2)).toEqual([
      'corrective_action.created',
      'finding.updated',
    ]);
  });

  test('201 while another action is open, and the finding stays open; the last one resolves it', async () => {
    const finding = await newFinding(ines);
    const other = await newAction(ines, {}, finding);
    expect((await create(finding)).body).toMatchObject(DONE);
    expect(await findingOf(ines, finding.id)).toMatchObject({ status: 'open', corrective_actions_count: 2 });
    expect(await openIn(finding.inspection_id)).toBe(1);
    await moveThrough(ines, other, 'cancelled');
    await create(finding);
    expect((await findingOf(ines, finding.id)).status).toBe('resolved');
  });

  test('201 with an action that awaits verification, if a second person has to verify it', async () => {
    await setFourEyes(true);
    const finding = await newFinding(ines);
    const { status, body } = await create(finding);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'pending_verification',
      completed_on_site: true,
      completed_by: ines.caller.user_id,
      verified_by: null,
    });
    expect((await findingOf(ines, finding.id)).status).toBe('open');
    expect(await openIn(finding.inspection_id)).toBe(1);
    const refused = await ines.try.correctiveActions.verify({ params: { ca_id: body.id } });
    expect(refused.status).toBe(403);
  });

  test('422 without evidence that the request or the template asks for, 201 with it', async () => {
    const refused = await create(await newFinding(ines), { evidence_required: true });
    expect([refused.status, locs(refused)]).toEqual([422, ['body.evidence']]);
    const { finding } = await automatic();
    const unproved = await create(finding);
    expect([unproved.status, locs(unproved)]).toEqual([422, ['body.evidence']]);
    const { id: document_id } = await newDocument(ines);
    expect((await create(finding, { evidence: [{ document_id }] })).status).toBe(201);
  });

  test.each<[string, object, string[]]>([
    ['a note without it', { completed_on_site: false, completion_note: 'Wiped' }, ['body.completion_note']],
    [
      'evidence without it',
      { completed_on_site: false, evidence: [{ document_id: uuid(9) }] },
      ['body.evidence'],
    ],
    [
      'too much evidence',
      { evidence: Array.from({ length: 11 }, () => ({ document_id: uuid(9) })) },
      ['body.evidence'],
    ],
  ])('422 for %s', async (_, body, expected) => {
    const refused = await create(await newFinding(ines), body);
    expect([refused.status, locs(refused)]).toEqual([422, expected]);
  });

  test('400 for evidence that does not exist or belongs to another organization; 201 for one document twice', async () => {
    const finding = await newFinding(ines);
    const { id: foreign } = await newDocument(await newPerson('Stranger'));
    for (const document_id of [uuid(9), foreign]) {
      const refused = await create(finding, { evidence: [{ document_id }] });
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        errors.referenceNotFound('evidence').detail,
      ]);
    }
    const { id: document_id } = await newDocument(ines);
    const { body } = await create(finding, { evidence: [{ document_id }, { document_id }] });
    expect(body.evidence_count).toBe(2);
    expect(await usedBy(ines, document_id)).toBe(2);
  });

  test('409 for a resolved finding and for another version of it', async () => {
    const finding = await newFinding(ines);
    expect((await create(finding, {}, { 'If-Match': '"2"' })).status).toBe(409);
    await create(finding);
    expect(await create(finding)).toMatchObject({
      status: 409,
      body: { detail: errors.findingResolved().detail },
    });
  });

  test('201 for each of several parallel requests or 409, and a resolved finding has no open action', async () => {
    for (let round = 0; round < 4; round += 1) {
      const finding = await newFinding(ines);
      const answers = await Promise.all([create(finding), create(finding, { completed_on_site: false })]);
      const counts = statusCounts(answers);
      const { status, corrective_actions_count } = await findingOf(ines, finding.id);
      expect(corrective_actions_count).toBe(counts['201']);
      expect([status, await openIn(finding.inspection_id)]).toEqual(
        answers[1].status === 201 ? ['open', 1] : ['resolved', 0],
      );
    }
  });
});

describe('PATCH /corrective-actions/{ca_id} with completed_on_site', () => {
  const done = { completed_on_site: true, completion_note: 'Wiped' };

  test.each(['open', 'in_progress'] as const)(
    '200 for an action that is %s, and the finding is resolved',
    async (from) => {
      const action = await newAction(ines);
      if (from === 'in_progress') await moveThrough(ines, action, 'in_progress');
      const { status, body } = await patch(ines, action, done);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...DONE, completion_note: 'Wiped', verified_by: ines.caller.user_id });
      expect((await findingOf(ines, action.finding_id)).status).toBe('resolved');
      expect(await openIn(action.inspection_id)).toBe(0);
      expect((await historyOf(ines, action)).at(-1)).toMatchObject({
        kind: 'verified',
        from,
        to: 'verified',
        note: 'Wiped',
      });
      expect((await eventsOf(ines, action.inspection_id)).slice(-2).toSorted()).toEqual([
        'corrective_action.status_changed',
        'finding.updated',
      ]);
    },
  );

  test('200 while another action is open, and the finding stays open', async () => {
    const action = await newAction(ines);
    await newAction(ines, {}, { id: action.finding_id });
    expect((await patch(ines, action, done)).body.status).toBe('verified');
    expect((await findingOf(ines, action.finding_id)).status).toBe('open');
  });

  test('200 with an action that awaits verification, if a second person has to verify it', async () => {
    await setFourEyes(true);
    const action = await newAction(ines);
    expect((await patch(ines, action, done)).body).toMatchObject({
      status: 'pending_verification',
      completed_on_site: true,
    });
    expect((await findingOf(ines, action.finding_id)).status).toBe('open');
    expect((await historyOf(ines, action)).at(-1)).toMatchObject({ kind: 'status_changed', from: 'open' });
  });

  test('409 for an automatic action without the evidence that the template asks for, 200 with it', async () => {
    const { action } = await automatic();
    expect(await patch(ines, action, done)).toMatchObject({
      status: 409,
      body: { detail: errors.evidenceRequired('open').detail },
    });
    await attach(ines, action, (await newDocument(ines)).id);
    expect((await patch(ines, action, done)).body.status).toBe('verified');
  });

  test.each(['pending_verification', 'verified', 'cancelled'] as const)(
    '409 for an action that is %s',
    async (status) => {
      const action = await (status === 'cancelled' ? newAction(ines) : completedAction(ines));
      if (status === 'verified') await ines.correctiveActions.verify({ params: { ca_id: action.id } });
      if (status === 'cancelled') await moveThrough(ines, action, 'cancelled');
      expect(await patch(ines, action, done)).toMatchObject({
        status: 409,
        body: { detail: errors.correctiveActionStatus(status, stepRefusal('complete')).detail },
      });
    },
  );

  test.each<[string, object, string[]]>([
    ['a status as well', { completed_on_site: true, status: 'cancelled' }, ['body.status']],
    ['false', { completed_on_site: false }, ['body.completed_on_site']],
  ])('422 for %s', async (_, body, expected) => {
    const refused = await patch(ines, await newAction(ines), body);
    expect([refused.status, locs(refused)]).toEqual([422, expected]);
  });

  test('200 after it is reopened, and it was not completed on site any more', async () => {
    const action = await newAction(ines);
    await patch(ines, action, done);
    await ines.findings.update({
      params: { finding_id: action.finding_id },
      body: { status: 'open' },
    });
    await ines.correctiveActions.reopen({
      params: { ca_id: action.id },
      body: { reason: 'Dusty again' },
    });
    expect(await actionOf(ines, action)).toMatchObject({ status: 'open', completed_on_site: false });
  });
});

import * as errors from '../../shared/base/errors.ts';
import { keys } from '../../shared/table/keys.ts';
import { inspectionOf, newDocument, usedBy } from '../answers/fixtures.ts';
import {
  actionOf,
  attach,
  completedAction,
  findingOf,
  moveThrough,
  newAction,
  newFinding,
} from '../corrective-actions/fixtures.ts';
import {
  startedInspection,
  completedInspection,
  sortKeys,
  sortKeysBelow,
  NOTHING_REQUIRED,
} from '../inspections/fixtures.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';

type At = { id: string };

let ines: Person;

const of = ({ id }: At) => ({ params: { finding_id: id } });
const change = (finding: At, body: object, headers: Record<string, string> = {}) =>
  ines.try.findings.update({ ...of(finding), body, headers });
const changeContent = (finding: At, body: object, headers: Record<string, string> = {}) =>
  ines.try.findings.updateContent({ ...of(finding), body, headers });
const remove = (finding: At, headers: Record<string, string> = {}) =>
  ines.try.findings.delete({ ...of(finding), headers });
const archive = (id: string) => ines.inspections.archive({ params: { inspection_id: id } });

/** A finding of a new started inspection without required fields. */
const startedFinding = async (body: object = {}) => {
  const inspection = await startedInspection(ines, { family: NOTHING_REQUIRED });
  return newFinding(ines, body, inspection);
};

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
});

describe('GET /findings/{finding_id}', () => {
  test('200 with the finding as it was created', async () => {
    const finding = await startedFinding();
    expect((await as(ines.readOnlyKey).try.findings.get({ ...of(finding) })).body).toEqual(finding);
  });
});

describe('PATCH /findings/{finding_id}', () => {
  test('200 with a new label, severity or status, each with the next version', async () => {
    const finding = await startedFinding();
    const { body } = await change(finding, { label: ' Rusty bolt ', severity: 'critical' });
    expect(body).toEqual({
      ...finding,
      label: 'Rusty bolt',
      severity: 'critical',
      version: 2,
      updated_at: expect.any(String),
    });
    expect((await change(finding, { status: 'resolved' })).body).toMatchObject({
      status: 'resolved',
      resolved_at: expect.any(String),
      resolved_by: ines.caller.user_id,
      resolved_by_inspection_id: null,
      version: 3,
    });
    expect((await change(finding, { status: 'open' })).body).toMatchObject({
      status: 'open',
      resolved_at: null,
      resolved_by: null,
      version: 4,
    });
    expect(await findingOf(ines, finding.id)).toMatchObject({ label: 'Rusty bolt', version: 4 });
  });

  test('200 for current values, without a new version', async () => {
    const finding = await startedFinding();
    expect((await change(finding, { label: finding.label })).body).toEqual(finding);
  });

  test.each<[string, object, string[]]>([
    ['an empty label', { label: ' ' }, ['body.label']],
    ['no label', { label: null }, ['body.label']],
    ['fields that cannot change', { origin: 'auto', content: {} }, ['body']],
    ['an unknown status', { status: 'closed' }, ['body.status']],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await change(await startedFinding(), body);
    expect(answer.status).toBe(422);
    expect(locs(answer).every((loc) => loc.startsWith(expected[0]!))).toBe(true);
  });

  test('409 for another version, and nothing changes', async () => {
    const finding = await startedFinding();
    await change(finding, { label: 'Rusty bolt' });
    expect((await change(finding, { label: 'x' }, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await change(finding, { label: 'x', expected_version: 1 })).status).toBe(409);
    expect((await findingOf(ines, finding.id)).label).toBe('Rusty bolt');
  });

  test('409 for resolved while a corrective action is open; 200 after all are closed', async () => {
    const finding = await startedFinding();
    const [first, second] = [await newAction(ines, {}, finding), await newAction(ines, {}, finding)];
    await moveThrough(ines, first, 'cancelled');
    const refused = await change(finding, { status: 'resolved' });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: errors.correctiveActionOpen(second.number, 'Tighten it', 'open').detail },
    });
    await moveThrough(ines, second, 'cancelled');
    expect((await change(finding, { status: 'resolved' })).status).toBe(200);
  });

  test('409 for an archived inspection', async () => {
    const { id } = await completedInspection(ines);
    expect((await inspectionOf(ines, { id })).status).toBe('completed');
    const inspection = await startedInspection(ines, { family: NOTHING_REQUIRED });
    const finding = await newFinding(ines, {}, inspection);
    await archive(inspection.id);
    for (const answer of [
      await change(finding, { label: 'x' }),
      await changeContent(finding, { root_cause: 'x' }),
      await remove(finding),
    ]) {
      expect(answer).toMatchObject({
        status: 409,
        body: { detail: errors.inspectionLocked('archived').detail },
      });
    }
    expect((await change(finding, { label: finding.label })).body).toEqual(finding);
  });

  test('200 or 409 in parallel with a new corrective action: one of the two is refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      const finding = await startedFinding();
      const [resolved, created] = await Promise.all([
        change(finding, { status: 'resolved' }),
        newAction(ines, {}, finding).then(
          () => 201,
          () => 409,
        ),
      ]);
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual([resolved.status, created]);
    }
  });

  test('200 or 409 in parallel with the reopening of a corrective action: one of the two is refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      const finding = await startedFinding();
      const action = await newAction(ines, {}, finding);
      await moveThrough(ines, action, 'cancelled');
      await Promise.all([
        change(finding, { status: 'resolved' }),
        as(ines).call(await import('../../functions/corrective-actions/reopen-corrective-action.ts'), {
          params: { ca_id: action.id },
          body: { reason: 'Loose again' },
        }),
      ]);
      const [{ status }, reopened] = [await findingOf(ines, finding.id), await actionOf(ines, action)];
      expect([
        ['resolved', 'cancelled'],
        ['open', 'open'],
      ]).toContainEqual([status, reopened.status]);
    }
  });
});

describe('PATCH /findings/{finding_id}/content', () => {
  test('200 with the content merged, and the uses of its documents are counted', async () => {
    const [before, kept, after] = await Promise.all([1, 2, 3].map(() => newDocument(ines)));
    const media = (...ids: (string | undefined)[]) => ids.map((document_id) => ({ document_id }));
    const finding = await startedFinding({ content: { description: 'Rust', media: media(before, kept) } });
    expect((await changeContent(finding, { root_cause: 'Salt' })).body.content).toMatchObject({
      description: 'Rust',
      root_cause: 'Salt',
      media: media(before, kept),
    });
    const { body } = await changeContent(finding, { media: media(kept, after, after) });
    expect([body.version, body.content.media.length, body.content.description]).toEqual([3, 3, 'Rust']);
    expect(await Promise.all([before, kept, after].map((id) => usedBy(ines, id!)))).toEqual([0, 1, 1]);
  });

  test('400 for a document that does not exist or belongs to another organization', async () => {
    const finding = await startedFinding();
    for (const document_id of [uuid(98), await newDocument(await newPerson('Otto, outsider'))]) {
      const answer = await changeContent(finding, { media: [{ document_id }] });
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: errors.referenceNotFound('media').detail },
      });
    }
    expect(await findingOf(ines, finding.id)).toEqual(finding);
  });

  test('200 for the maximum of documents that one change can replace, 422 for more', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => newDocument(ines)));
    const media = (from: number, to: number) => ids.slice(from, to).map((document_id) => ({ document_id }));
    const finding = await startedFinding({ content: { media: media(0, 50) } });
    const refused = await changeContent(finding, { media: media(50, 100) });
    expect([refused.status, locs(refused)]).toEqual([422, ['body.media']]);
    expect((await changeContent(finding, { media: media(50, 93) })).status).toBe(200);
    expect(await Promise.all([0, 49, 50, 99].map((n) => usedBy(ines, ids[n]!)))).toEqual([0, 0, 1, 0]);
  });

  test('409 for another version', async () => {
    const finding = await startedFinding();
    expect((await changeContent(finding, { root_cause: 'x' }, { 'If-Match': '"2"' })).status).toBe(409);
  });

  test('200 for two parallel changes, and neither is lost', async () => {
    const finding = await startedFinding();
    await Promise.all([
      changeContent(finding, { root_cause: 'Salt' }),
      changeContent(finding, { recommendation: 'Paint' }),
    ]);
    expect(await findingOf(ines, finding.id)).toMatchObject({
      content: { root_cause: 'Salt', recommendation: 'Paint' },
      version: 3,
    });
  });
});

describe('DELETE /findings/{finding_id}', () => {
  const below = (id: string) => sortKeysBelow(ines, { id });
  const counts = async (id: string) => {
    const { findings_count, open_corrective_actions_count } = await inspectionOf(ines, { id });
    return [findings_count, open_corrective_actions_count];
  };

  test('204, and no row of the finding or of its closed actions remains', async () => {
    const [shown, evidence] = [await newDocument(ines), await newDocument(ines)];
    const finding = await startedFinding({ content: { media: [{ document_id: shown }] } });
    const action = await newAction(ines, { assignee_id: ines.adminId, external_ref: 'cmms-7' }, finding);
    await attach(ines, action, evidence);
    await attach(ines, action, shown);
    await moveThrough(ines, action, 'cancelled');
    expect(await remove(finding)).toMatchObject({ status: 204 });
    expect((await ines.try.findings.get({ ...of(finding) })).status).toBe(404);
    expect(await below(finding.inspection_id)).toEqual([]);
    expect(await sortKeys(ines, keys.below(ines.caller, 'ACTION', action.id))).toEqual([]);
    for (const { pk } of [
      keys.actionAssignment(ines.caller, ines.adminId, ''),
      keys.reference(ines.caller, 'ACTION', ''),
    ]) {
      expect(await sortKeys(ines, pk)).not.toContain(action.id);
    }
    expect([await usedBy(ines, shown), await usedBy(ines, evidence)]).toEqual([0, 0]);
    expect(await counts(finding.inspection_id)).toEqual([0, 0]);
    await newAction(ines, { external_ref: 'cmms-7' });
  });

  test('204 for many closed actions, and the actions of other findings remain', async () => {
    const finding = await startedFinding();
    const other = await newFinding(ines, {}, { id: finding.inspection_id });
    const kept = await newAction(ines, {}, other);
    for (let n = 0; n < 14; n += 1) {
      await moveThrough(ines, await newAction(ines, { assignee_id: ines.adminId }, finding), 'cancelled');
    }
    expect((await remove(finding)).status).toBe(204);
    expect(await below(finding.inspection_id)).toEqual([`ACTION#${kept.id}`, `FINDING#${other.id}`]);
    expect(await counts(finding.inspection_id)).toEqual([1, 1]);
  });

  test('409 while a corrective action is open or awaits verification', async () => {
    const action = await completedAction(ines);
    const refused = await remove({ id: action.finding_id });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        detail: errors.correctiveActionOpen(action.number, 'Tighten it', 'pending_verification').detail,
      },
    });
    expect((await findingOf(ines, action.finding_id)).corrective_actions_count).toBe(1);
  });

  test('409 for another version', async () => {
    expect((await remove(await startedFinding(), { 'If-Match': '"7"' })).status).toBe(409);
  });

  test('204 for one of five parallel requests, 404 for the others', async () => {
    const finding = await startedFinding();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(finding)));
    expect(statusCounts(answers)).toEqual({ 204: 1, 404: 4 });
    expect(await counts(finding.inspection_id)).toEqual([0, 0]);
  });

  test('204 or 409 in parallel with a new corrective action, and no action remains without its finding', async () => {
    for (let round = 0; round < 8; round += 1) {
      const finding = await startedFinding();
      const [{ status }, created] = await Promise.all([
        remove(finding),
        newAction(ines, {}, finding).catch(() => null),
      ]);
      expect(status).toBe(created ? 409 : 204);
      expect(await counts(finding.inspection_id)).toEqual(created ? [1, 1] : [0, 0]);
      expect(await below(finding.inspection_id)).toHaveLength(created ? 2 : 0);
    }
  });
});

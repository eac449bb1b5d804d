import * as deleteFinding from '../../functions/findings/delete-finding.ts';
import * as getFinding from '../../functions/findings/get-finding.ts';
import * as updateFindingContent from '../../functions/findings/update-finding-content.ts';
import * as updateFinding from '../../functions/findings/update-finding.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { inspectionOf, newDocument, usedBy } from '../answers/fixtures.ts';
import {
  actionOf,
  attach,
  completedAction,
  findingOf,
  moved,
  newAction,
  newFinding,
} from '../corrective-actions/fixtures.ts';
import { begun, completed, sortKeys, UNDEMANDING } from '../inspections/fixtures.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { locs, tally, uuid } from '../templates/fixtures.ts';

type At = { id: string };

let ines: Person;

const of = ({ id }: At) => ({ params: { finding_id: id } });
const change = (finding: At, body: object, headers: Record<string, string> = {}) =>
  call(updateFinding, { as: ines.key, ...of(finding), body, headers });
const say = (finding: At, body: object, headers: Record<string, string> = {}) =>
  call(updateFindingContent, { as: ines.key, ...of(finding), body, headers });
const remove = (finding: At, headers: Record<string, string> = {}) =>
  call(deleteFinding, { as: ines.key, ...of(finding), headers });
const archive = (id: string) => made(archiveInspection, { as: ines.key, params: { inspection_id: id } });

/** A finding of an inspection that is completed since. */
const found = async (body: object = {}) => {
  const inspection = await begun(ines, { family: UNDEMANDING });
  return newFinding(ines, body, inspection);
};

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
});

describe('GET /findings/{finding_id}', () => {
  test('200 as it was made', async () => {
    const finding = await found();
    expect((await call(getFinding, { as: ines.readOnlyKey, ...of(finding) })).body).toEqual(finding);
  });
});

describe('PATCH /findings/{finding_id}', () => {
  test('200 with label, severity and status, each a version on', async () => {
    const finding = await found();
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
      version: 3,
    });
    expect((await change(finding, { status: 'open' })).body).toMatchObject({ status: 'open', version: 4 });
    expect(await findingOf(ines, finding.id)).toMatchObject({ label: 'Rusty bolt', version: 4 });
  });

  test('200 without a new version where nothing is new', async () => {
    const finding = await found();
    expect((await change(finding, { label: finding.label })).body).toEqual(finding);
  });

  test.each<[string, object, string[]]>([
    ['an empty label', { label: ' ' }, ['body.label']],
    ['no label', { label: null }, ['body.label']],
    ['what only its making decides', { origin: 'auto', content: {} }, ['body']],
    ['a status there is not', { status: 'closed' }, ['body.status']],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await change(await found(), body);
    expect(answer.status).toBe(422);
    expect(locs(answer).every((loc) => loc.startsWith(expected[0]!))).toBe(true);
  });

  test('409 for another version, and nothing is changed', async () => {
    const finding = await found();
    await change(finding, { label: 'Rusty bolt' });
    expect((await change(finding, { label: 'x' }, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await change(finding, { label: 'x', expected_version: 1 })).status).toBe(409);
    expect((await findingOf(ines, finding.id)).label).toBe('Rusty bolt');
  });

  test('409 to resolve it while an action is open, naming that; 200 once all are closed', async () => {
    const finding = await found();
    const [first, second] = [await newAction(ines, {}, finding), await newAction(ines, {}, finding)];
    await moved(ines, first, 'cancelled');
    const refused = await change(finding, { status: 'resolved' });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: `corrective action ${second.number} (Tighten it) is open` },
    });
    await moved(ines, second, 'cancelled');
    expect((await change(finding, { status: 'resolved' })).status).toBe(200);
  });

  test('200 once the inspection is completed, 409 once it is archived', async () => {
    const { id } = await completed(ines);
    expect((await inspectionOf(ines, { id })).status).toBe('completed');
    const inspection = await begun(ines, { family: UNDEMANDING });
    const finding = await newFinding(ines, {}, inspection);
    await archive(inspection.id);
    for (const answer of [
      await change(finding, { label: 'x' }),
      await say(finding, { root_cause: 'x' }),
      await remove(finding),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { detail: 'inspection is archived and locked' } });
    }
    expect((await change(finding, { label: finding.label })).body).toEqual(finding);
  });

  test('resolved beside an action that opens: one of the two, never both', async () => {
    for (let round = 0; round < 8; round += 1) {
      const finding = await found();
      const [resolved, acted] = await Promise.all([
        change(finding, { status: 'resolved' }),
        newAction(ines, {}, finding).then(
          () => 201,
          () => 409,
        ),
      ]);
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual([resolved.status, acted]);
    }
  });

  test('resolved beside an action that is reopened: one of the two, never both', async () => {
    for (let round = 0; round < 8; round += 1) {
      const finding = await found();
      const action = await newAction(ines, {}, finding);
      await moved(ines, action, 'cancelled');
      await Promise.all([
        change(finding, { status: 'resolved' }),
        call(await import('../../functions/corrective-actions/reopen-corrective-action.ts'), {
          as: ines.key,
          params: { ca_id: action.id },
          body: { reason: 'Loose again' },
        }),
      ]);
      const [{ status }, reached] = [await findingOf(ines, finding.id), await actionOf(ines, action)];
      expect([
        ['resolved', 'cancelled'],
        ['open', 'open'],
      ]).toContainEqual([status, reached.status]);
    }
  });
});

describe('PATCH /findings/{finding_id}/content', () => {
  test('200 merged, and its documents counted as they come and go', async () => {
    const [before, kept, after] = await Promise.all([1, 2, 3].map(() => newDocument(ines)));
    const media = (...ids: (string | undefined)[]) => ids.map((document_id) => ({ document_id }));
    const finding = await found({ content: { description: 'Rust', media: media(before, kept) } });
    expect((await say(finding, { root_cause: 'Salt' })).body.content).toMatchObject({
      description: 'Rust',
      root_cause: 'Salt',
      media: media(before, kept),
    });
    const { body } = await say(finding, { media: media(kept, after, after) });
    expect([body.version, body.content.media.length, body.content.description]).toEqual([3, 3, 'Rust']);
    expect(await Promise.all([before, kept, after].map((id) => usedBy(ines, id!)))).toEqual([0, 1, 1]);
  });

  test('400 for a document that is not there or another organization’s', async () => {
    const finding = await found();
    for (const document_id of [uuid(98), await newDocument(await newPerson('Otto, outsider'))]) {
      const answer = await say(finding, { media: [{ document_id }] });
      expect(answer).toMatchObject({ status: 400, body: { detail: 'media does not exist' } });
    }
    expect(await findingOf(ines, finding.id)).toEqual(finding);
  });

  test('200 for as many documents as one change can exchange, 422 for more', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => newDocument(ines)));
    const media = (from: number, to: number) => ids.slice(from, to).map((document_id) => ({ document_id }));
    const finding = await found({ content: { media: media(0, 50) } });
    const refused = await say(finding, { media: media(50, 100) });
    expect([refused.status, locs(refused)]).toEqual([422, ['body.media']]);
    expect((await say(finding, { media: media(50, 95) })).status).toBe(200);
    expect(await Promise.all([0, 49, 50, 99].map((n) => usedBy(ines, ids[n]!)))).toEqual([0, 0, 1, 0]);
  });

  test('409 for another version', async () => {
    const finding = await found();
    expect((await say(finding, { root_cause: 'x' }, { 'If-Match': '"2"' })).status).toBe(409);
  });

  test('200 for each of two edits at once: neither is lost', async () => {
    const finding = await found();
    await Promise.all([say(finding, { root_cause: 'Salt' }), say(finding, { recommendation: 'Paint' })]);
    expect(await findingOf(ines, finding.id)).toMatchObject({
      content: { root_cause: 'Salt', recommendation: 'Paint' },
      version: 3,
    });
  });
});

describe('DELETE /findings/{finding_id}', () => {
  const below = (inspectionId: string) => sortKeys(ines, keys.below(ines.caller, 'INSPECTION', inspectionId));
  const counts = async (id: string) => {
    const { findings_count, open_corrective_actions_count } = await inspectionOf(ines, { id });
    return [findings_count, open_corrective_actions_count];
  };

  test('204 leaving no row of it, nor of its closed actions', async () => {
    const [shown, evidence] = [await newDocument(ines), await newDocument(ines)];
    const finding = await found({ content: { media: [{ document_id: shown }] } });
    const action = await newAction(ines, { assignee_id: ines.adminId, external_ref: 'cmms-7' }, finding);
    await attach(ines, action, evidence);
    await attach(ines, action, shown);
    await moved(ines, action, 'cancelled');
    expect(await remove(finding)).toMatchObject({ status: 204 });
    expect((await call(getFinding, { as: ines.key, ...of(finding) })).status).toBe(404);
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

  test('204 in as many steps as its closed actions need, and those of other findings stay', async () => {
    const finding = await found();
    const other = await newFinding(ines, {}, { id: finding.inspection_id });
    const kept = await newAction(ines, {}, other);
    for (let n = 0; n < 14; n += 1) {
      await moved(ines, await newAction(ines, { assignee_id: ines.adminId }, finding), 'cancelled');
    }
    expect((await remove(finding)).status).toBe(204);
    expect(await below(finding.inspection_id)).toEqual([`ACTION#${kept.id}`, `FINDING#${other.id}`]);
    expect(await counts(finding.inspection_id)).toEqual([1, 1]);
  });

  test('409 while an action is open or awaits verification, naming it', async () => {
    const action = await completedAction(ines);
    const refused = await remove({ id: action.finding_id });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: `corrective action ${action.number} (Tighten it) is pending_verification` },
    });
    expect((await findingOf(ines, action.finding_id)).corrective_actions_count).toBe(1);
  });

  test('409 for another version', async () => {
    expect((await remove(await found(), { 'If-Match': '"7"' })).status).toBe(409);
  });

  test('204 once for many at once', async () => {
    const finding = await found();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(finding)));
    expect(tally(answers)).toEqual({ 204: 1, 404: 4 });
    expect(await counts(finding.inspection_id)).toEqual([0, 0]);
  });

  test('never beside an action that is created at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const finding = await found();
      const [{ status }, acted] = await Promise.all([
        remove(finding),
        newAction(ines, {}, finding).catch(() => null),
      ]);
      expect(status).toBe(acted ? 409 : 204);
      expect(await counts(finding.inspection_id)).toEqual(acted ? [1, 1] : [0, 0]);
      expect(await below(finding.inspection_id)).toHaveLength(acted ? 2 : 0);
    }
  });
});

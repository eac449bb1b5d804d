import * as errors from '../../shared/base/errors.ts';
import * as attachments from '../../shared/inspections/corrective-actions/attachments.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import { shownState } from '../../shared/reports/rows/reports.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { DEFAULT_LAYOUT } from '../../shared/schemas/reports/report-layout-content.ts';
import type { ReportLayout } from '../../shared/schemas/templates/report-layout.ts';
import { newDocument } from '../answers/fixtures.ts';
import { moveThrough, newAction, newFinding, patch } from '../corrective-actions/fixtures.ts';
import { advance, answer, newInspection, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout, newPicture, publishedFamily } from '../templates/fixtures.ts';
import { newTermsLayout } from './fixtures/reports.ts';

let inspector: Person;
let outsider: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

describe('GET /inspections/{inspection_id}/report-payload', () => {
  it('200 is the payload that a report would be rendered from now', async () => {
    const { id, number } = await newInspection(inspector, { name: 'Cold store' });
    const payload = await inspector.reports.getPayload({ params: { inspection_id: id } });
    expect(payload).toMatchObject({
      organization: { name: 'Harbour Inspections' },
      report: { id: null },
      inspection: { id, number, name: 'Cold store', status: 'scheduled' },
      summary: { progress: { answered: 0 } },
    });
  });

  it('404 for another organization’s inspection', async () => {
    const { id } = await newInspection(inspector);
    expect((await outsider.try.reports.getPayload({ params: { inspection_id: id } })).status).toBe(404);
  });
});

describe('GET /inspections/{inspection_id}/report-payload in a layout', () => {
  let ana: Person;
  let inspection: Inspection;
  beforeAll(async () => {
    ana = await newPerson('Ana');
  });
  beforeEach(async () => {
    inspection = await newInspection(ana);
  });

  const layout = (name: string, body: object): Promise<ReportLayout> =>
    newTermsLayout(ana, inspection, name, body);
  const payload = (query = {}) =>
    ana.try.reports.getPayload({ params: { inspection_id: inspection.id }, query });

  test('200 uses the requested layout, or else the default one, or else the standard one', async () => {
    expect((await payload()).body.layout).toEqual(DEFAULT_LAYOUT);
    const { primary_color } = DEFAULT_LAYOUT.theme;
    const logo = await newPicture(ana.key);
    const usual = await layout('Usual', { is_default: true, theme: { logo } });
    const client = await layout('Client', { page_size: 'Letter' });
    expect((await payload()).body.layout).toEqual({
      ...DEFAULT_LAYOUT,
      blocks: usual.blocks,
      theme: { primary_color, logo },
    });
    expect((await payload({ layout_id: client.id })).body.layout).toEqual({
      ...DEFAULT_LAYOUT,
      blocks: client.blocks,
      page_size: 'Letter',
    });
  });

  test('200 has the colour of the client where the layout wants it, and the client has one', async () => {
    const colorOf = async (brand_primary: string | null, theme: object): Promise<string> => {
      const client = await ana.clientAccounts.create({
        body: { name: `Client ${brand_primary}`, brand_primary },
      });
      const location = await newLocation(ana, client.id);
      const { id } = await newInspection(ana, {
        template_family_id: inspection.template_family_id,
        location_id: location.id,
      });
      const layout = await newLayout(ana.key, inspection.template_family_id, {
        name: JSON.stringify([brand_primary, theme]),
        theme,
      });
      const params = { inspection_id: id };
      return (await ana.reports.getPayload({ params, query: { layout_id: layout.id } })).layout.theme
        .primary_color;
    };
    expect(await colorOf('210 80% 40%', { client_color: true })).toBe('#1466b8');
    expect(await colorOf('210 80% 40%', {})).toBe(DEFAULT_LAYOUT.theme.primary_color);
    expect(await colorOf(null, { client_color: true, primary_color: '#8a1c1c' })).toBe('#8a1c1c');
  });

  test('400 for a layout that is not in the template family', async () => {
    const { id } = await newLayout(ana.key, (await newInspection(ana)).template_family_id);
    const { status, body } = await payload({ layout_id: id });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('layout_id').detail]);
  });
});

describe('GET /inspections/{inspection_id}/report-payload with corrective actions', () => {
  let ines: Person;
  let inspection: Inspection;
  const payload = () => as(ines.readOnlyKey).reports.getPayload({ params: { inspection_id: inspection.id } });

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    inspection = await startedInspection(ines);
  });

  test('200 has the corrective actions of each finding, with assignee and due date', async () => {
    const first = await newFinding(ines, {}, inspection);
    const second = await newFinding(ines, {}, inspection);
    const late = await newAction(ines, { due_at: '2020-01-01T00:00:00Z' }, second);
    const action = await newAction(
      ines,
      { title: 'Weld it', description: 'TIG', priority: 'high', assignee_id: ines.caller.user_id },
      first,
    );
    await moveThrough(ines, action, 'in_progress');
    const { body } = await patch(ines, action, {
      status: 'pending_verification',
      completion_note: 'Welded',
    });
    const document_id = await newDocument(ines);
    await attachments.attach(ines.caller, action.id, { document_id, stage: 'after', caption: 'Weld' });
    const { findings, summary } = await payload();
    expect(summary.corrective_actions).toMatchObject({ open: 1, pending_verification: 1, overdue: 1 });
    expect(findings).toMatchObject([
      { position: 1, number: first.number },
      { position: 2, number: second.number },
    ]);
    expect(findings[1]!.corrective_actions).toEqual([
      expect.objectContaining({
        number: late.number,
        assignee_name: null,
        is_overdue: true,
        due_at: '2020-01-01T00:00:00.000Z',
      }),
    ]);
    expect(findings[0]!.corrective_actions).toEqual([
      {
        id: action.id,
        number: action.number,
        title: 'Weld it',
        description: 'TIG',
        priority: 'high',
        status: 'pending_verification',
        is_overdue: false,
        assignee_name: ines.caller.name,
        due_at: null,
        completed_at: body.completed_at,
        completed_by_name: ines.caller.name,
        completion_note: 'Welded',
        verified_at: null,
        verified_by_name: null,
        verification_note: '',
        before: [],
        after: [expect.objectContaining({ document_id, caption: 'Weld' })],
      },
    ]);
  });

  test('the state that the report shows changes with each finding and action, but not with a comment', async () => {
    const { caller } = ines;
    const state = async () => shownState(await inspectionRecords.get(caller, inspection.id));
    const finding = await newFinding(ines, {}, inspection);
    const action = await newAction(ines, {}, finding);
    const document_id = await newDocument(ines);
    let before = await state();
    await correctiveActions.comment(caller, action.id, { note: 'Parts are ordered' });
    await ines.reports.create({ params: { inspection_id: inspection.id }, body: {} });
    expect(await state()).toBe(before);
    for (const edit of [
      () => attachments.attach(caller, action.id, { document_id, stage: 'before', caption: '' }),
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

describe('GET /inspections/{inspection_id}/report-payload of a completed inspection', () => {
  const SCORED = {
    content: {
      ...contentWith(field(2, 'pass_fail_na', { critical: true })),
      scoring: { enabled: true, passing_score: 80 },
    },
  };
  let lena: Person;
  let family: { id: string };
  let location_id: string;

  beforeAll(async () => {
    lena = await newPerson('Lena, inspector');
    family = await publishedFamily(lena.key, SCORED);
    location_id = (await newLocation(lena)).id;
  });

  const completed = async (value: string, place: string | null = location_id): Promise<Inspection> => {
    const body = { template_family_id: family.id, location_id: place };
    const inspection = await startedInspection(lena, body);
    await answer(lena, inspection, uuid(2), value);
    return advance(lena.key, inspection);
  };
  const payloadOf = ({ id }: Inspection) => lena.reports.getPayload({ params: { inspection_id: id } });

  test('200 has a verdict with its reason, and the score of the last inspection there', async () => {
    const first = await completed('pass');
    await completed('pass', null);
    const second = await completed('fail');
    const { report, summary } = await payloadOf(second);
    expect(report.is_draft).toBe(false);
    expect(summary).toMatchObject({
      score: { percentage: 0 },
      verdict: { result: 'fail', passing_score: 80, reasons: [{ kind: 'critical_item' }, { kind: 'total' }] },
      previous_score: { inspection_id: first.id, number: first.number, percentage: 100, result: 'pass' },
    });
    expect((await payloadOf(first)).summary.previous_score).toBeNull();
  });

  test('200 is no draft when the inspection was archived after its completion', async () => {
    const { id } = await completed('pass');
    await lena.inspections.archive({ params: { inspection_id: id } });
    const { report, summary } = await lena.reports.getPayload({ params: { inspection_id: id } });
    expect([report.is_draft, summary.verdict?.result]).toEqual([false, 'pass']);
  });
});

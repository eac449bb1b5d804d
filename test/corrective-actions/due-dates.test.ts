import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { findingsOf, saved } from '../answers/fixtures.ts';
import { advance, eventsOf, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { actionOf, patch } from './fixtures.ts';

const DEFECT = uuid(2);
const option = (value: string, finding_severity: string) => ({
  value,
  label: value,
  is_failed: true,
  finding_severity,
});
const content = (rule: object) =>
  contentWith(
    field(2, 'multi_select', {
      options: [option('dust', 'minor'), option('crack', 'critical')],
      finding: { create: 'auto', corrective_action: { title: 'Mend it', ...rule } },
    }),
  );

const BY_SEVERITY = {
  due_by_severity: { critical: 'PT24H', minor: 'P3D' },
  priority_by_severity: { critical: 'critical' },
};
/** A Thursday evening in Athens, which is already Friday in Auckland. */
const VISIT = '2025-03-27T19:00:00.000Z';

describe('PUT /inspections/{inspection_id}/responses with due dates by severity', () => {
  let ines: Person;
  let inspection: Inspection;

  const begin = async (rule: object, timezone: string | null = null) => {
    const place = await ines.locations.create({ body: { name: 'Yard', timezone } });
    inspection = await startedInspection(ines, {
      family: { content: content(rule) },
      location_id: place.id,
    });
  };
  const find = (value: string[], client_answered_at: string | undefined = VISIT) =>
    saved(ines, inspection, { field_id: DEFECT, value, client_answered_at });
  const actions = (): Promise<CorrectiveAction[]> =>
    ines.correctiveActions.list({ params: { inspection_id: inspection.id } });
  const action = async () => (await actions())[0]!;

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    const { version } = await ines.organization.get();
    await ines.organization.update({ body: { timezone: 'Europe/Athens', expected_version: version } });
  });

  test('200, and the action is due by the severity, from the visit, in the time zone of the location', async () => {
    await begin(BY_SEVERITY, 'Pacific/Auckland');
    await find(['dust']);
    expect(await action()).toMatchObject({
      priority: 'medium',
      due_at: '2025-03-31T10:59:59.000Z',
      due_basis: {
        from: VISIT,
        duration: 'P3D',
        severity: 'minor',
        timezone: 'Pacific/Auckland',
        skipped_days: [],
      },
    });
  });

  test('200 for a location without a time zone, and that of the organization counts, without its weekend days', async () => {
    await begin({ ...BY_SEVERITY, business_days: true });
    await find(['dust']);
    expect(await action()).toMatchObject({
      // The clocks have changed on Sunday.
      due_at: '2025-04-01T20:59:59.000Z',
      due_basis: { timezone: 'Europe/Athens', skipped_days: ['saturday', 'sunday'] },
    });
  });

  test('200 for another severity, and the due date and the priority follow until somebody works on it', async () => {
    await begin(BY_SEVERITY);
    await find(['dust']);
    const { id } = await action();
    const next = '2025-03-27T19:05:00.000Z';
    await find(['dust', 'crack'], next);
    expect(await actions()).toMatchObject([
      { id, priority: 'critical', due_at: '2025-03-28T19:00:00.000Z', due_basis: { severity: 'critical' } },
    ]);
    expect(await eventsOf(ines, inspection.id)).toContain('corrective_action.updated');
    await find([], '2025-03-27T19:07:00.000Z');
    expect([await actions(), await findingsOf(ines, inspection)]).toEqual([[], []]);

    await find(['dust'], '2025-03-27T19:10:00.000Z');
    const again = await action();
    await patch(ines, again, { description: 'With a broom' });
    await find(['crack'], '2025-03-27T19:15:00.000Z');
    expect(await action()).toMatchObject({ priority: 'medium', due_at: again.due_at });
  });

  test('200 for an answer without a time of the client, and the time counts at which it was saved', async () => {
    await begin(BY_SEVERITY);
    const { answered_at } = await saved(ines, inspection, { field_id: DEFECT, value: ['crack'] });
    const { due_at, due_basis } = await action();
    expect(due_basis!.from).toBe(answered_at);
    expect(Date.parse(due_at!) - Date.parse(answered_at!)).toBe(86_400_000);
  });

  test('200 for a due date that a person sets, which has no basis', async () => {
    await begin(BY_SEVERITY);
    await find(['dust']);
    const found = await action();
    await patch(ines, found, { title: 'Sweep it' });
    expect((await actionOf(ines, found)).due_basis).toEqual(found.due_basis);
    await patch(ines, found, { due_at: '2031-01-01T00:00:00Z' });
    expect(await actionOf(ines, found)).toMatchObject({
      due_at: '2031-01-01T00:00:00.000Z',
      due_basis: null,
    });
  });

  test('200 for a correction that makes the answer fail, and the time of its answer counts', async () => {
    await begin(BY_SEVERITY);
    await advance(ines.key, inspection);
    const { id: correction_id } = await ines.corrections.create({
      params: { inspection_id: inspection.id },
      body: { reason: 'Overlooked' },
    });
    await find(['crack']);
    await ines.corrections.close({ params: { inspection_id: inspection.id, correction_id } });
    expect(await action()).toMatchObject({ due_at: '2025-03-28T19:00:00.000Z' });
  });
});

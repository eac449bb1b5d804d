import * as errors from '../../shared/base/errors.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { allowApi, publish, publishedFamily } from '../templates/fixtures.ts';
import {
  advance,
  answer,
  NOTHING_REQUIRED,
  startedInspection,
  eventsOf,
  newClient,
  newInspection,
  newLocation,
  start,
} from './fixtures.ts';

describe('POST /inspections/{inspection_id}/duplicate', () => {
  let person: Person;
  const duplicate = ({ id }: { id: string }): Promise<Inspection> =>
    person.inspections.duplicate({ params: { inspection_id: id } });

  beforeAll(async () => {
    person = await newPerson('Copier');
  });

  test('201, and a key that may no longer approve may not approve the copy either', async () => {
    const family = await publishedFamily(person.key, {
      ...NOTHING_REQUIRED,
      requires_approval: true,
      settings: { approval: { allow_api: true, four_eyes: false } },
    });
    const source = await newInspection(person, { template_family_id: family.id });
    const decided = async () => {
      const copy = await duplicate(source);
      await start(person.key, copy);
      await advance(person.key, copy);
      return person.try.inspections.advance({
        params: { inspection_id: copy.id },
        body: { decision: 'approve' },
      });
    };
    expect((await decided()).status).toBe(200);
    await allowApi(person.key, family.id, false);
    expect(await decided()).toMatchObject({ status: 403, body: { detail: errors.decisionByKey().detail } });
  });

  test('201 with the settings of the source, but not its answers, people or dates', async () => {
    const client = await newClient(person);
    const location = await newLocation(person, client.id);
    const source = await startedInspection(person, {
      location_id: location.id,
      name: 'Monthly',
      due_at: '2031-01-01T00:00:00Z',
      scheduled_for: '2030-12-01T00:00:00Z',
      participants: [{ user_id: person.caller.user_id }],
      approver_id: person.adminId,
      external_ref: 'erp-7',
    });
    await answer(person, source, uuid(2), 'yes');
    const copy = await duplicate(source);
    expect(copy).toMatchObject({
      name: 'Monthly',
      template_id: source.template_id,
      template_family_id: source.template_family_id,
      client_account_id: client.id,
      location_id: location.id,
      status: 'scheduled',
      source: 'duplicate',
      participants: [],
      approver_id: null,
      scheduled_for: null,
      due_at: null,
      started_at: null,
      external_ref: null,
      start_answers: {},
      score: null,
      progress: { answered: 0, required: 1, total: 2 },
      findings_count: 0,
      version: 1,
    });
    expect(copy.number).toBeGreaterThan(source.number);
    expect(await eventsOf(person, copy.id)).toEqual(['inspection.duplicated']);
    expect((await start(person.key, copy)).status).toBe('in_progress');
  });

  test('201 with the template version of the source, even if a later one is published', async () => {
    const family = await publishedFamily(person.key, { requires_approval: true });
    const source = await newInspection(person, { template_family_id: family.id });
    const draft = await person.versions.openDraft({ params: { family_id: family.id } });
    await publish(person.key, draft.id);
    expect(await duplicate(source)).toMatchObject({
      template_id: family.template_id,
      requires_approval: true,
    });
  });

  test('409 for an inspection whose template family is archived, until that is restored', async () => {
    const family = await publishedFamily(person.key);
    const source = await newInspection(person, { template_family_id: family.id });
    const params = { family_id: family.id };
    await person.families.archive({ params });
    const refused = await person.try.inspections.duplicate({ params: { inspection_id: source.id } });
    expect([refused.status, refused.body.detail]).toEqual([409, errors.familyStatus('archived').detail]);
    await person.families.restore({ params });
    expect((await duplicate(source)).status).toBe('scheduled');
  });
});

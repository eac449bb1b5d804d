import { v7 as uuidv7 } from 'uuid';
import type { ApiError } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';
import { keys } from '../../shared/table/keys.ts';
import { locs, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { draftedFamily, publish, publishedFamily } from '../templates/fixtures.ts';
import { eventsOf, newClient, newColleague, newInspection, newLocation, sortKeys } from './fixtures.ts';

installRecorder();

const START = {
  ...contentWith(field(2, 'text', { required: true }), field(3)),
  start: {
    fields: [
      { key: 'weather', type: 'text', label: 'Weather' },
      { key: 'wind', type: 'number', label: 'Wind', max: 200 },
      { key: 'guide', type: 'member', label: 'Guide' },
    ],
  },
};

describe('POST /inspections', () => {
  let person: Person;
  let familyId: string;
  const create = (body: object) =>
    person.try.inspections.create({ body: { template_family_id: familyId, ...body } });

  beforeAll(async () => {
    person = await newPerson('Creator');
    familyId = (await publishedFamily(person.key, { content: START })).id;
  });

  test('201 with default values for absent fields', async () => {
    const { status, body } = await create({});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Crane',
      status: 'scheduled',
      source: 'api',
      correction_mode: 'tracked',
      created_by: person.caller.user_id,
      progress: { answered: 0, required: 1, total: 2 },
      is_overdue: false,
      participants: [],
      version: 1,
    });
    expect((await person.try.inspections.get({ params: { inspection_id: body.id } })).body).toEqual(body);
    expect(await eventsOf(person, body.id)).toEqual(['inspection.created']);
  });

  test('201 with all times in UTC', async () => {
    const { body } = await create({
      due_at: '2020-01-02T03:04:05+02:00',
      scheduled_for: '2020-01-01T00:00:00Z',
    });
    expect(body).toMatchObject({
      due_at: '2020-01-02T01:04:05.000Z',
      scheduled_for: '2020-01-01T00:00:00.000Z',
      is_overdue: true,
    });
  });

  test('201 with the published version and settings of that time, which later changes do not affect', async () => {
    const family = await publishedFamily(person.key, {
      requires_approval: true,
      settings: { correction_mode: 'locked' },
    });
    const before = await newInspection(person, { template_family_id: family.id });
    await person.families.update({
      params: { family_id: family.id },
      body: { requires_approval: false, requires_sign_off: true, settings: { correction_mode: 'tracked' } },
    });
    const draft = await person.versions.openDraft({ params: { family_id: family.id } });
    await publish(person.key, draft.id);
    const pins = { template_id: family.template_id, requires_approval: true, requires_sign_off: false };
    expect(before).toMatchObject({ ...pins, correction_mode: 'locked' });
    expect(await person.inspections.get({ params: { inspection_id: before.id } })).toEqual(before);
    const after = await newInspection(person, { template_family_id: family.id });
    expect(after).toMatchObject({ template_id: draft.id, requires_approval: false, requires_sign_off: true });
  });

  test('201 with the client account of the location, whether the request names it or not', async () => {
    const client = await newClient(person);
    const { id: location_id } = await newLocation(person, client.id);
    for (const client_account_id of [undefined, null, client.id]) {
      expect(await create({ location_id, client_account_id })).toMatchObject({
        status: 201,
        body: { location_id, client_account_id: client.id },
      });
    }
    const used = await person.try.clientAccounts.delete({ params: { ca_id: client.id } });
    expect(used.status).toBe(409);
  });

  test('201 with the names of the participants, and each of them finds the inspection', async () => {
    const { user_id } = await newColleague(person, 'Ann');
    const participants = [
      { user_id, role: 'lead', section_ids: [uuid(1).toUpperCase()] },
      { user_id: person.adminId },
    ];
    const { status, body } = await create({ participants });
    expect(status).toBe(201);
    expect(body.participants).toEqual([
      {
        user_id,
        name: 'Ann',
        role: 'lead',
        section_ids: [uuid(1)],
        status: 'assigned',
        submitted_at: null,
        reopened_at: null,
      },
      expect.objectContaining({ user_id: person.adminId, role: 'inspector', section_ids: [] }),
    ]);
    for (const id of [user_id, person.adminId]) {
      expect(await sortKeys(person, keys.assignment.partition(person.caller, id))).toContain(body.id);
    }
  });

  test('201 with start answers, without those that are null', async () => {
    const { body } = await create({ start_answers: { weather: 'fair', wind: 12, guide: null } });
    expect(body.start_answers).toEqual({ weather: 'fair', wind: 12 });
  });

  test('201 for fifty parallel requests, each with its own number', async () => {
    const newcomer = await newPerson('Crowd');
    const { id } = await publishedFamily(newcomer.key);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => newcomer.try.inspections.create({ body: { template_family_id: id } })),
    );
    expect(statusCounts(answers)).toEqual({ 201: 50 });
    const numbers = answers.map(({ body }) => body.number as number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  test('201 in four database calls if there are no start answers to check', async () => {
    const { id: location_id } = await newLocation(person);
    const { sent } = await recording(() =>
      create({ location_id, participants: [{ user_id: person.adminId }] }),
    );
    expect(sent.tableCalls - sent.stamps + 1).toBe(4);
  });

  test('400 for anything that the organization or the template does not have', async () => {
    const stranger = await newPerson('Stranger');
    const [client, location] = [await newClient(stranger), await newLocation(stranger)];
    const theirs = await publishedFamily(stranger.key);
    const requests: [ApiError, object][] = [
      [errors.referenceNotFound('client_account_id'), { client_account_id: client.id }],
      [errors.referenceNotFound('location_id'), { location_id: location.id }],
      [errors.referenceNotFound('approver_id'), { approver_id: stranger.adminId }],
      [
        errors.referenceNotFound('participants.1.user_id'),
        { participants: [{ user_id: person.adminId }, { user_id: stranger.adminId }] },
      ],
      [errors.referenceNotFound('template_family_id'), { template_family_id: theirs.id }],
      [
        errors.notInTemplate(`participants.0.section_ids: the template has no section ${uuid(9)}`),
        { participants: [{ user_id: person.adminId, section_ids: [uuid(9)] }] },
      ],
      [errors.referenceNotFound('start_answers.guide'), { start_answers: { guide: stranger.adminId } }],
    ];
    for (const [{ detail }, body] of requests) {
      const { status, body: error } = await person.try.inspections.create({
        body: { template_family_id: familyId, ...body },
      });
      expect([status, error.detail]).toEqual([400, detail]);
    }
  });

  test('400 for a location of another client account', async () => {
    const { id: location_id } = await newLocation(person, (await newClient(person)).id);
    const { status, body } = await create({ location_id, client_account_id: (await newClient(person)).id });
    expect([status, body.detail]).toEqual([400, errors.otherClientAccount('location_id').detail]);
  });

  test('400 rather than 409 for an unknown location and a family that is a draft', async () => {
    const { id } = await draftedFamily(person.key);
    const body = { template_family_id: id, location_id: uuidv7() };
    expect((await person.try.inspections.create({ body })).status).toBe(400);
  });

  test('409 for a family that is a draft or archived', async () => {
    const draft = await draftedFamily(person.key);
    const { id } = await publishedFamily(person.key);
    await person.families.archive({ params: { family_id: id } });
    expect(await create({ template_family_id: draft.id })).toMatchObject({
      status: 409,
      body: { detail: errors.familyStatus('draft', 'published').detail },
    });
    expect(await create({ template_family_id: id })).toMatchObject({
      status: 409,
      body: { detail: errors.familyStatus('archived', 'published').detail },
    });
  });

  test('409 for an external_ref that another inspection of the organization has', async () => {
    const external_ref = uuidv7();
    expect((await create({ external_ref })).status).toBe(201);
    expect((await create({ external_ref })).status).toBe(409);
    await newInspection(await newPerson('Elsewhere'), { external_ref });
  });

  test('422 for every start answer that the template does not accept', async () => {
    const refused = await create({
      start_answers: { wind: 900, moon: 'full', weather: 7, guide: person.adminId },
    });
    expect(refused.status).toBe(422);
    expect(locs(refused).toSorted()).toEqual([
      'body.start_answers.moon',
      'body.start_answers.weather',
      'body.start_answers.wind',
    ]);
  });

  test('422 for a participant named twice, and for too many participants', async () => {
    const user_id = person.adminId;
    expect(locs(await create({ participants: [{ user_id }, { user_id }] }))).toEqual([
      'body.participants.1.user_id',
    ]);
    const many = Array.from({ length: 31 }, () => ({ user_id: uuidv7() }));
    expect(locs(await create({ participants: many }))).toEqual(['body.participants']);
  });
});

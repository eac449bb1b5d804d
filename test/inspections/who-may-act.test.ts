import * as errors from '../../shared/base/errors.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { type Answer, as, type Client } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newInspection } from './fixtures.ts';

type Member = Awaited<ReturnType<typeof newMember>>;
type Act = (
  client: Client,
  request: { params: { inspection_id: string }; headers: object },
) => Promise<Answer>;

const FAMILY = { content: contentWith(field(2)) };
const ANSWER = { section_id: uuid(1), field_id: uuid(2), value: 'Tight' };

let org: Person;
let app: Client;
let ines: Member;
let stranger: Member;

beforeAll(async () => {
  org = await newPerson('Org');
  app = as((await actingKey(org)).key);
  ines = await newMember(org, 'inspector', 'Ines');
  stranger = await newMember(org, 'inspector', 'Stan');
});

const act = (member: Member, what: Act, { id }: { id: string }) =>
  what(app, { params: { inspection_id: id }, headers: onBehalfOf(member) });

const ofInes = () => newInspection(org, { family: FAMILY, participants: [{ user_id: ines.user_id }] });

const read = ({ id }: { id: string }): Promise<Inspection> =>
  org.inspections.get({ params: { inspection_id: id } });

/** What inspectors do in inspections of others when nothing keeps them from it. */
const ACTS: Record<string, Act> = {
  'start it': (client, request) => client.try.inspections.start(request as never),
  'advance it': (client, request) => client.try.inspections.advance({ ...request, body: {} } as never),
  'archive it': (client, request) => client.try.inspections.archive(request as never),
  'rename it': (client, request) =>
    client.try.inspections.update({ ...request, body: { name: 'Mine' } } as never),
  'answer a question': (client, request) => client.try.answers.replace({ ...request, body: ANSWER } as never),
  'change an answer': (client, request) => client.try.answers.update({ ...request, body: ANSWER } as never),
  'answer a batch': (client, request) =>
    client.try.answers.save({ ...request, body: { responses: [ANSWER] } } as never),
  'confirm answers': (client, request) =>
    client.try.answers.confirm({ ...request, body: { field_ids: [uuid(2)] } } as never),
  'add a finding': (client, request) =>
    client.try.findings.create({ ...request, body: { label: 'Bolt', severity: 'minor' } } as never),
};

test.each(Object.entries(ACTS))('403 for an inspector without a part who would %s', async (_, what) => {
  const inspection = await ofInes();
  const before = await read(inspection);
  const { status, body } = await act(stranger, what, inspection);
  expect([status, body.detail]).toEqual([403, errors.noPartInInspection().detail]);
  expect(await read(inspection)).toEqual(before);
});

test.each(Object.entries(ACTS))('a participant, the creator, an admin and a key may %s', async (_, what) => {
  const ada = await newMember(org, 'admin', 'Ada');
  for (const member of [ines, ada]) {
    const { status } = await act(member, what, await ofInes());
    expect([member.name, status]).not.toEqual([member.name, 403]);
  }
  const own: Inspection = await app.inspections.selfCreate({
    body: { template_family_id: (await publishedFamily(org.key, FAMILY)).id },
    headers: onBehalfOf(stranger),
  });
  await org.inspections.update({
    params: { inspection_id: own.id },
    body: { participants: [{ user_id: ines.user_id }] },
  });
  expect((await act(stranger, what, own)).status).not.toBe(403);
  const { id } = await ofInes();
  expect((await what(org, { params: { inspection_id: id }, headers: {} })).status).not.toBe(403);
});

test('403 for a correction of an inspection in which the inspector has no part', async () => {
  const inspection = await ofInes();
  for (const step of ['start it', 'advance it']) await act(ines, ACTS[step]!, inspection);
  const open: Act = (client, request) =>
    client.try.corrections.create({ ...request, body: { reason: 'A typing error' } } as never);
  expect((await act(stranger, open, inspection)).status).toBe(403);
  const { status, body } = await act(ines, open, inspection);
  expect(status).toBe(201);
  const close: Act = (client, { params, ...request }) =>
    client.try.corrections.close({ ...request, params: { ...params, correction_id: body.id } } as never);
  expect((await act(stranger, close, inspection)).status).toBe(403);
  expect((await act(ines, close, inspection)).status).toBe(200);
});

describe('self_assign', () => {
  const FOR_TAKING = { ...FAMILY, settings: { self_assign: true } };

  test('whoever starts an inspection that nobody is assigned to becomes its participant', async () => {
    const inspection = await newInspection(org, { family: FOR_TAKING });
    expect((await act(ines, ACTS['start it']!, inspection)).status).toBe(200);
    const { participants } = await read(inspection);
    expect(participants).toEqual([
      expect.objectContaining({ user_id: ines.user_id, name: 'Ines', role: 'inspector', status: 'started' }),
    ]);
    expect((await act(stranger, ACTS['answer a question']!, inspection)).status).toBe(403);
    expect((await act(ines, ACTS['answer a question']!, inspection)).status).toBe(200);
  });

  test('one of many inspectors who start it at once gets it', async () => {
    const inspection = await newInspection(org, { family: FOR_TAKING });
    const answers = await Promise.all(
      [ines, stranger].map((member) => act(member, ACTS['start it']!, inspection)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
    expect((await read(inspection)).participants).toHaveLength(1);
  });

  test('whoever submits one that a key has started becomes its participant', async () => {
    const inspection = await newInspection(org, { family: FOR_TAKING });
    await org.inspections.start({ params: { inspection_id: inspection.id } });
    await act(ines, ACTS['answer a question']!, inspection);
    expect((await act(ines, ACTS['advance it']!, inspection)).status).toBe(200);
    expect(await read(inspection)).toMatchObject({
      status: 'completed',
      participants: [{ user_id: ines.user_id, status: 'submitted' }],
    });
  });

  test('403 where the family does not have it, and for one with other participants', async () => {
    const closed = await newInspection(org, { family: FAMILY });
    expect((await act(ines, ACTS['start it']!, closed)).status).toBe(403);
    const taken = await newInspection(org, {
      family: FOR_TAKING,
      participants: [{ user_id: stranger.user_id }],
    });
    expect((await act(ines, ACTS['start it']!, taken)).status).toBe(403);
  });
});

import { marshall } from '@aws-sdk/util-dynamodb';
import * as listClientAccounts from '../../functions/client-accounts/list-client-accounts.ts';
import { handler as handOnOutbox } from '../../functions/workers/hand-on-outbox.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { newEvent } from '../../infra/local/event.ts';
import { contextOf } from '../../infra/local/lambda.ts';
import { installFaults, on, withFault } from '../support/faults.ts';
import { mailTasks, newMember } from '../support/notices.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

installFaults();

const RANDOM = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

let person: Person;

beforeEach(async () => {
  person = await newPerson('Caller');
});

afterEach(() => {
  process.env['LOG_LEVEL'] = 'silent';
  jest.restoreAllMocks();
});

/** The log lines that `work` writes. */
const logged = async (work: () => Promise<unknown>): Promise<Record<string, unknown>[]> => {
  process.env['LOG_LEVEL'] = 'info';
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  await work();
  const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
  write.mockRestore();
  process.env['LOG_LEVEL'] = 'silent';
  return lines;
};

describe('the id of a request', () => {
  const invoke = async (requestId: string | undefined, key = person.key) => {
    const event = newEvent(
      { resource: '/v1/client-accounts', params: {} },
      {
        method: 'GET',
        path: '/v1/client-accounts',
        query: '',
        rawHeaders: ['Authorization', `Bearer ${key}`, 'X-Request-Id', 'of the client'],
        body: Buffer.alloc(0),
        sourceIp: '127.0.0.1',
      },
    );
    const requestContext = { ...event.requestContext, requestId };
    const handler = listClientAccounts.handler as unknown as (
      event: unknown,
      context: unknown,
    ) => Promise<{ statusCode: number; headers: Record<string, string> }>;
    return handler({ ...event, requestContext }, contextOf('listClientAccounts', 512, Date.now() + 29_000));
  };

  test('is that of API Gateway: in the reply and in the log line, whatever the client sends', async () => {
    const replies: unknown[] = [];
    const lines = await logged(async () => {
      for (const key of [person.key, 'wrong']) {
        const { statusCode, headers } = await invoke('of-the-gateway', key);
        replies.push([statusCode, headers['x-request-id']]);
      }
    });
    expect(replies).toEqual([
      [200, 'of-the-gateway'],
      [401, 'of-the-gateway'],
    ]);
    expect(lines.map(({ request_id }) => request_id)).toEqual(['of-the-gateway', 'of-the-gateway']);
  });

  test('is random without a gateway', async () => {
    const [first, second] = [await invoke(undefined), await invoke(undefined)];
    expect(first.headers['x-request-id']).toMatch(RANDOM);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  test('is new for a repeated request that gets the stored reply', async () => {
    const { id: template_family_id } = await publishedFamily(person.key);
    const request = { body: { template_family_id }, headers: { 'Idempotency-Key': 'once' } };
    const first = await person.try.inspections.create(request);
    const second = await person.try.inspections.create(request);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['x-request-id']).toMatch(RANDOM);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  test('goes with events, tasks, log lines of workers and mails', async () => {
    const { id: template_family_id } = await publishedFamily(person.key);
    const user_id = await newMember(person, 'Ana');
    const before = new Set((await outboxOf(person.caller)).map(({ id }) => id));
    const { status, headers } = await person.try.inspections.create({
      body: { template_family_id, participants: [{ user_id, role: 'inspector' }] },
    });
    const requestId = headers['x-request-id']!;
    expect([status, requestId]).toEqual([201, expect.stringMatching(RANDOM)]);
    const rows = (await outboxOf(person.caller)).filter(({ id }) => !before.has(id));
    expect(new Set(rows.map(({ outbox, request_id }) => `${outbox} ${request_id}`))).toEqual(
      new Set([`event ${requestId}`, `mail ${requestId}`]),
    );

    const Records = rows.map((row) => ({ dynamodb: { NewImage: marshall(row) } }));
    const [streamLine] = await logged(() => handOnOutbox({ Records } as never));
    expect(streamLine).toMatchObject({ operation: 'handOnOutbox', request_ids: [requestId] });
    const events = await person.events.list();
    expect(events.at(-1)).toMatchObject({ type: 'inspection.created', request_id: requestId });

    const mails: string[] = [];
    const posted = on(
      ({ client }) => client === 'SESv2Client',
      async ({ input }) => {
        mails.push(
          Buffer.from((input as { Content: { Raw: { Data: Uint8Array } } }).Content.Raw.Data).toString(),
        );
        return {};
      },
    );
    const task = rows.find(({ outbox }) => outbox === 'mail')!;
    const [mailLine] = await logged(() => deliver(sendMail, task));
    const digest = (await mailTasks(person)).find(({ data }) => data['what'] === 'digest')!;
    await withFault(posted, () => deliver(sendMail, digest));
    expect(mailLine).toMatchObject({
      operation: 'sendMail',
      request_id: requestId,
      org_id: person.caller.org_id,
      task_id: task.id,
    });
    expect(mails).toEqual([expect.stringMatching(new RegExp(`^X-Request-Id: ${requestId}\r$`, 'im'))]);
  });
});

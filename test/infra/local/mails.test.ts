import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { closeServer, newGateway } from '../../../infra/local/gateway.ts';
import { mailServices } from '../../../infra/local/mails.ts';
import { compose } from '../../../shared/mail/compose.ts';
import { sendMail } from '../../../shared/mail/send.ts';

let url: string;
let events = 0;
const gateway = newGateway({
  operations: [],
  services: mailServices(() => {
    events += 1;
  }),
});

beforeAll(async () => {
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});
afterAll(() => closeServer(gateway, 1_000));

describe('GET /mails', () => {
  test('200 lists the mails that were sent, with all recipients and the attachments', async () => {
    const to = (name: string) => ({ name, address: `${name}@mails.example` });
    const message = await compose({
      from: { name: 'Harbour', address: 'inspections@example.com' },
      to: [to('ana'), to('ben')],
      cc: [to('cleo')],
      replyTo: null,
      page: {
        language: 'en',
        subject: 'Kitchen 4: inspection report',
        organization: 'Harbour',
        logo: 'logo@mail',
        paragraphs: ['Hello'],
        blocks: [],
        action: null,
        hints: [],
        reasons: [],
        stop: null,
      },
      logo: Buffer.from('png'),
      attachments: [
        { filename: 'Kitchen 4.pdf', contentType: 'application/pdf', content: Buffer.alloc(1_234) },
      ],
    });
    await sendMail(message, ['ana@mails.example', 'ben@mails.example', 'cleo@mails.example'], {});
    const mails = (await (await fetch(`${url}/mails`)).json()) as { to: string[] }[];
    expect(mails.filter(({ to: [first] }) => first === 'ana@mails.example')).toEqual([
      {
        to: ['ana@mails.example', 'ben@mails.example'],
        cc: ['cleo@mails.example'],
        subject: 'Kitchen 4: inspection report',
        text: expect.stringContaining('Hello'),
        html: expect.stringContaining('Hello'),
        attachments: [{ filename: 'Kitchen 4.pdf', size: 1_234 }],
      },
    ]);
  });

  test.each([
    ['a foreign page', { origin: 'https://evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('403 for %s', async (_, headers: Record<string, string>) => {
    expect((await fetch(`${url}/mails`, { headers })).status).toBe(403);
  });
});

describe('POST /mails/events', () => {
  const post = (body: string) => fetch(`${url}/mails/events`, { method: 'POST', body });

  test('202 puts an event of SES into the queue as EventBridge does', async () => {
    const detail = {
      eventType: 'Delivery',
      mail: { tags: { org_id: ['o'] } },
      delivery: { recipients: ['ana@example.com'] },
    };
    expect((await post(JSON.stringify(detail))).status).toBe(202);
    expect(events).toBe(1);
    const client = new SQSClient();
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: process.env['FEEDBACK_QUEUE_URL'], MaxNumberOfMessages: 10 }),
    );
    client.destroy();
    const bodies = Messages.map(({ Body }) => JSON.parse(Body!) as object);
    expect(bodies).toContainEqual(expect.objectContaining({ detail: expect.objectContaining(detail) }));
  });

  test.each(['', '{}', '[]', '{"eventType": 1}'])('400 for %j', async (body) => {
    expect((await post(body)).status).toBe(400);
  });
});

import { SECRETS } from '../../shared/upkeep/moving/classes.ts';
import { as, locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { auditOf } from '../support/people.ts';
import { revealedBy } from '../support/secrets.ts';
import {
  type Admin,
  answers,
  asAdmin,
  deliveriesOf,
  emitEvents,
  isSigned,
  newAdmin,
  passTime,
  type Receiver,
  settle,
  shown,
  useReceiver,
} from './fixtures.ts';

useClock();
const receiverOf = useReceiver();
let admin: Admin;
let receiver: Receiver;

beforeEach(async () => {
  admin = await newAdmin();
  receiver = receiverOf();
});

const TOKEN = 'Bearer 7c1a9d52-0a7c6e1f8b3d';
const HEADERS = { Authorization: TOKEN, 'X-Till': '4' };

const of = ({ id }: { id: string }) => ({ params: { webhook_id: id } });
const create = async (headers: unknown) =>
  (await asAdmin(admin)).try.webhooks.create({ body: { url: receiver.url, types: ['*'], headers } });
const created = async (headers: unknown = HEADERS) => (await create(headers)).body;
const update = async (webhook: { id: string }, body: object) =>
  (await asAdmin(admin)).try.webhooks.update({ ...of(webhook), body });
/** The customer's headers of each message that has arrived. */
const received = () => receiver.received.map(({ headers }) => [headers['authorization'], headers['x-till']]);

describe('the headers of a webhook', () => {
  test('are sent with each delivery, repeated ones, tests and replays included, beside those of the service', async () => {
    const webhook = await created();
    expect(webhook.header_names).toEqual(['Authorization', 'X-Till']);
    receiver.behave((request, response, body) =>
      answers(receiver.received.length === 1 ? 500 : 204)(request, response, body),
    );
    await emitEvents(admin);
    await passTime(admin);
    const delivery_id = (await deliveriesOf(admin, webhook))[0]!.id;
    const { webhooks } = await asAdmin(admin);
    await webhooks.test(of(webhook));
    await webhooks.replayDelivery({ params: { webhook_id: webhook.id, delivery_id } });
    await webhooks.replayEvents({ ...of(webhook), body: { from: '2020-01-01T00:00:00Z' } });
    await settle(admin);
    expect(received()).toEqual(Array.from({ length: 5 }, () => [TOKEN, '4']));
    expect(receiver.received.every((message) => isSigned(message, webhook.secret))).toBe(true);
  });

  test('are given again, or removed, when the URL becomes one of another host', async () => {
    const webhook = await created();
    expect((await update(webhook, { url: `${receiver.url}/next` })).status).toBe(200);
    const url = 'https://example.com/hook';
    const refused = await update(webhook, { url });
    expect([refused.status, locs(refused)]).toEqual([422, ['body.headers']]);
    expect((await shown(admin, webhook)).url).toBe(`${receiver.url}/next`);
    expect((await update(webhook, { url, headers: HEADERS })).status).toBe(200);
    expect((await update(webhook, { url: receiver.url, headers: null })).status).toBe(200);
    expect((await update(webhook, { url })).status).toBe(200);
  });

  test('stay when a change leaves them out, are replaced as a whole, and are removed by null and by {}', async () => {
    const webhook = await created();
    const sent = async () => {
      await emitEvents(admin);
      await settle(admin);
      return received().at(-1);
    };
    await update(webhook, { description: 'Till' });
    expect([(await shown(admin, webhook)).header_names, await sent()]).toEqual([
      Object.keys(HEADERS),
      [TOKEN, '4'],
    ]);
    expect((await update(webhook, { headers: { 'X-Till': '5' } })).body).toMatchObject({
      header_names: ['X-Till'],
      version: 3,
    });
    expect(await sent()).toEqual([undefined, '5']);
    await update(webhook, { headers: { 'X-Till': '6' } });
    expect(await sent()).toEqual([undefined, '6']);
    for (const headers of [null, {}]) {
      await update(webhook, { headers: HEADERS });
      expect((await update(webhook, { headers })).body.header_names).toEqual([]);
      expect(await sent()).toEqual([undefined, undefined]);
    }
    const { version } = (await update(webhook, { headers: {} })).body;
    expect((await update(webhook, { headers: null })).body.version).toBe(version);
    const changes = (await auditOf(admin)).flatMap((each) =>
      each.action === 'webhook.updated' ? [each.changes] : [],
    );
    expect(changes).toContainEqual({ header_names: { from: ['X-Till'], to: ['X-Till'] } });
    expect(JSON.stringify(changes)).not.toContain(TOKEN);
  });

  test.each([
    'Host',
    'content-type',
    'Content-Length',
    'CONNECTION',
    'Transfer-Encoding',
    'webhook-id',
    'Webhook-Signature',
    'webhook-later',
    'User-Agent',
    'Cookie',
    'Proxy-Authorization',
    'X-Forwarded-For',
    'X Till',
    'X-Till:',
    'X-Till\r\nX-Other',
    'Ä',
    '',
    'x'.repeat(101),
  ])('422 for the name %j', async (name) => {
    const refused = await create({ [name]: 'value' });
    expect([refused.status, locs(refused)]).toEqual([422, [name ? `body.headers.${name}` : 'body.headers']]);
  });

  test.each(['', ' x', 'x ', 'x\r\ny: z', 'x\ny', 'x\ty', '\u0000', 'ü', 'x'.repeat(1_025), 4, null])(
    '422 for the value %j',
    async (value) => {
      expect(locs(await create({ 'X-Till': value }))).toContain('body.headers.X-Till');
      const webhook = await created();
      expect((await update(webhook, { headers: { 'X-Till': value } })).status).toBe(422);
      expect(await shown(admin, webhook)).toMatchObject({ version: 1, header_names: Object.keys(HEADERS) });
    },
  );

  test('422 for a sixth and for the same twice, all problems at once; 201 at the limits', async () => {
    const numbered = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'x'.repeat(1_024)]));
    expect(locs(await create(numbered(6)))).toEqual(['body.headers']);
    expect(locs(await create({ 'X-Till': '4', 'x-till': '4', Host: 'x' }))).toEqual([
      'body.headers.x-till',
      'body.headers.Host',
    ]);
    const { status, body } = await create({ ...numbered(4), [`x${'-'.repeat(99)}`]: '! ~' });
    expect([status, body.header_names.length]).toEqual([201, 5]);
    await emitEvents(admin);
    await settle(admin);
    expect(receiver.received.at(-1)!.headers['x-3']).toHaveLength(1_024);
  });
});

describe('the value of a header', () => {
  test('is in no row, log, reply or error, also when the receiver repeats it', async () => {
    receiver.behave((request, response) => {
      const echo = request.headers.authorization!;
      response.writeHead(500, { echo }).end(`${'no'.repeat(450)}${echo} ${'.'.repeat(85)}${echo}`);
    });
    const work = async () => {
      const webhook = await created();
      await emitEvents(admin, 2);
      await settle(admin);
      const delivery_id = (await deliveriesOf(admin, webhook))[0]!.id;
      const params = { webhook_id: webhook.id, delivery_id };
      const delivery = await as(admin).webhooks.getDelivery({ params });
      expect(delivery.request.headers).toMatchObject({
        Authorization: '(not shown)',
        'X-Till': '(not shown)',
      });
      expect(delivery.attempts[0].reply_body).toContain('(not shown)');
      return [delivery, await shown(admin, webhook), await update(webhook, { headers: HEADERS })];
    };
    expect(await revealedBy(work, TOKEN, admin.caller.org_id)).toEqual([]);
    expect(await revealedBy(async () => undefined, TOKEN.slice(0, 20), admin.caller.org_id)).toEqual([]);
  });

  test('is left out of an export', () => {
    expect(SECRETS.WEBHOOK).toContainEqual(['headers']);
  });
});

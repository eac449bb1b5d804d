import { ApiError } from '../../shared/base/api-error.ts';
import { MAX_CALL_MS } from '../../shared/base/connection.ts';
import { getObject, objectKey, putObject, signedUrl } from '../../shared/files/objects.ts';
import { decryptCredential } from '../../shared/integrations/connect.ts';
import { sendMail } from '../../shared/mail/send.ts';
import { sendTasks } from '../../shared/outside/queues.ts';
import { keys } from '../../shared/table/keys.ts';
import { isTransient } from '../../shared/table/retry.ts';
import { getRow } from '../../shared/table/rows.ts';
import { impatient } from '../support/faults.ts';
import { beginsReply, drips, isSilent, type Peer, startPeer } from '../support/peer.ts';

const LIMIT = 300;
impatient(LIMIT);
Object.assign(MAX_CALL_MS, Object.fromEntries(Object.keys(MAX_CALL_MS).map((service) => [service, LIMIT])));

const caller = { org_id: 'o', user_id: 'u', name: 'Caller' };
const confined = { ...caller, org_id: 'confined' };
const object = objectKey(caller, 'x');

let peer: Peer;

beforeAll(async () => {
  peer = await startPeer();
  for (const service of ['DYNAMODB', 'S3', 'SQS', 'SESV2', 'STS', 'KMS']) {
    process.env[`AWS_ENDPOINT_URL_${service}`] = peer.url;
  }
  process.env['CREDENTIALS_KEY_ID'] = 'key';
  process.env['MAIL_QUEUE_URL'] = `${peer.url}/000000000000/mail`;
});
afterAll(() => peer.close());
afterEach(() => {
  delete process.env['TENANT_ROLE_ARN'];
});

type Calls = Record<string, () => Promise<unknown>>;

const CALLS: Calls = {
  'a read of the table': () => getRow(caller, keys.organization(caller)),
  'a read of the bucket': () => getObject(caller, object),
  'a write to the bucket': () => putObject(caller, object, Buffer.alloc(3_000_000), 'text/plain'),
  'a message to a queue': () => sendTasks('mail', [{ id: 'x' } as never]),
  'a mail': () => sendMail({ from: 'a@example.com', data: Buffer.from('x') }, ['b@example.com'], {}),
  'a decryption': () => decryptCredential(caller, 'connection', 'AAAA'),
};

const CONFINED: Calls = {
  "a session of an organization's role": () => getRow(confined, keys.organization(confined)),
  'a signature with that role': () => signedUrl(confined, objectKey(confined, 'x')),
};

// None of these ends by itself: without a limit, the calls would take longer than the test may.
describe.each([
  ['never answers', isSilent],
  ['answers half of its reply', beginsReply],
  ['sends its reply byte by byte', drips],
])('when AWS accepts the connection and %s', (_, behaviour) => {
  const isUnavailable = async (call: () => Promise<unknown>): Promise<boolean> => {
    const error = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiError ? error.status === 503 : isTransient(error);
  };

  /** The calls wait for their ends together. */
  const expectToEnd = async (calls: Calls) => {
    peer.now(behaviour);
    const ended = Object.entries(calls).map(async ([name, call]) => [name, await isUnavailable(call)]);
    expect(await Promise.all(ended)).toEqual(Object.keys(calls).map((name) => [name, true]));
  };

  test('calls of each service end', async () => {
    await expectToEnd(CALLS);
    expect(peer.turns()).toBeGreaterThanOrEqual(Object.keys(CALLS).length);
  });

  test("calls with an organization's role end", async () => {
    process.env['TENANT_ROLE_ARN'] = 'arn:aws:iam::000000000000:role/tenant';
    await expectToEnd(CONFINED);
    expect(peer.turns()).toBeGreaterThan(0);
  });
});

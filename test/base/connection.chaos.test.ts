import { ApiError } from '../../shared/base/api-error.ts';
import { MAX_CALL_MS } from '../../shared/base/connection.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { isTransient } from '../../shared/db/table/retry.ts';
import { getRow } from '../../shared/db/table/rows.ts';
import { sendTasks } from '../../shared/events/queues.ts';
import { decryptCredential } from '../../shared/integrations/connect.ts';
import { sendMail } from '../../shared/mail/send.ts';
import { getObject, objectKey, putObject, signedUrl } from '../../shared/storage/objects.ts';
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

const CALLS: Record<string, () => Promise<unknown>> = {
  'a read of the table': () => getRow(caller, keys.organization(caller)),
  'a read of the bucket': () => getObject(caller, object),
  'a write to the bucket': () => putObject(caller, object, Buffer.alloc(3_000_000), 'text/plain'),
  'a message to a queue': () => sendTasks('mail', [{ id: 'x' } as never]),
  'a mail': () => sendMail({ from: 'a@example.com', data: Buffer.from('x') }, ['b@example.com'], {}),
  'a decryption': () => decryptCredential(caller, 'connection', 'AAAA'),
  "a session of an organization's role": () => {
    process.env['TENANT_ROLE_ARN'] = 'arn:aws:iam::000000000000:role/tenant';
    return getRow(confined, keys.organization(confined));
  },
  'a signature with that role': () => {
    process.env['TENANT_ROLE_ARN'] = 'arn:aws:iam::000000000000:role/tenant';
    return signedUrl(confined, objectKey(confined, 'x'));
  },
};

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  const isUnavailable = async (): Promise<boolean> => {
    const error = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiError ? error.status === 503 : isTransient(error);
  };

  // None of these ends by itself: without a limit, the call would take longer than the test may.
  test.each([
    ['never answers', isSilent],
    ['answers half of its reply', beginsReply],
    ['sends its reply byte by byte', drips],
  ])('ends when AWS accepts the connection and %s', async (_, behaviour) => {
    peer.now(behaviour);
    expect(await isUnavailable()).toBe(true);
    expect(peer.turns()).toBeGreaterThan(0);
  });
});

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { v7 as uuidv7 } from 'uuid';
import { startKeys } from '../../infra/local/engines/keys.ts';
import { decryptCredential, encryptCredential } from '../../shared/integrations/connect.ts';
import { Credential } from '../../shared/schemas/integrations/vendor.ts';

const INVALID = { name: 'InvalidCiphertextException' };

const caller = { org_id: uuidv7(), user_id: uuidv7(), name: 'Ada' };
const other = { ...caller, org_id: uuidv7() };
const credential = { api_token: 'eyJhbGciOiJIUzI1NiJ9.token.signature' };

describe('the credential of a connection', () => {
  test('opens for its connection alone', async () => {
    const encrypted = await encryptCredential(caller, 'one', credential);
    expect(await decryptCredential(caller, 'one', encrypted)).toEqual(credential);
    await expect(decryptCredential(caller, 'two', encrypted)).rejects.toMatchObject(INVALID);
    await expect(decryptCredential(other, 'one', encrypted)).rejects.toMatchObject(INVALID);
  });

  test('is not readable in what is stored, and never encrypted to the same twice', async () => {
    const [first, second] = await Promise.all([
      encryptCredential(caller, 'one', credential),
      encryptCredential(caller, 'one', credential),
    ]);
    expect(first).not.toBe(second);
    expect(Buffer.from(first, 'base64').toString('latin1')).not.toContain('token');
  });

  test('that has been changed does not open', async () => {
    const bytes = Buffer.from(await encryptCredential(caller, 'one', credential), 'base64');
    for (const position of [0, 14, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[position]! ^= 1;
      const attempt = decryptCredential(caller, 'one', changed.toString('base64'));
      await expect(attempt).rejects.toMatchObject(INVALID);
    }
    await expect(decryptCredential(caller, 'one', 'AAAA')).rejects.toMatchObject(INVALID);
  });

  test('is as large as KMS allows, and no larger', async () => {
    const withBytes = (bytes: number) => ({ api_token: 'x'.repeat(bytes - '{"api_token":""}'.length) });
    const largest = Credential.parse(withBytes(4_096));
    expect(await decryptCredential(caller, 'one', await encryptCredential(caller, 'one', largest))).toEqual(
      largest,
    );
    expect(Credential.safeParse(withBytes(4_097)).success).toBe(false);
  });

  test.each(['', ' ', 'a b', 'a\nX-Other: b', 'schlüssel', 'a\u0000'])('is no secret as %j', (secret) => {
    expect(Credential.safeParse({ api_token: secret }).success).toBe(false);
  });
});

describe('the local store of keys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const withKeys = async <Result>(
    use: (client: KMSClient, url: string) => Promise<Result>,
  ): Promise<Result> => {
    const keys = await startKeys(folder);
    const client = new KMSClient({ endpoint: keys.endpoint });
    try {
      return await use(client, keys.endpoint);
    } finally {
      client.destroy();
      await keys.stop();
    }
  };

  test('keeps its key in the data folder, for its owner alone, and opens what it has sealed before', async () => {
    const Plaintext = Buffer.from('secret');
    const { CiphertextBlob } = await withKeys((client) =>
      client.send(new EncryptCommand({ KeyId: 'key', Plaintext })),
    );
    const opened = await withKeys((client) => client.send(new DecryptCommand({ CiphertextBlob })));
    expect(Buffer.from(opened.Plaintext!).toString()).toBe('secret');
    expect((await stat(join(folder, 'credentials.key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'credentials.key'))).toHaveLength(32);
  });

  test('refuses what KMS refuses, and the requests of web pages', async () => {
    await withKeys(async (client, url) => {
      const tooLarge = new EncryptCommand({ KeyId: 'key', Plaintext: Buffer.alloc(4_097) });
      await expect(client.send(tooLarge)).rejects.toMatchObject({ name: 'ValidationException' });
      const status = await new Promise((resolve, reject) => {
        const page = request(url, { method: 'POST', headers: { origin: 'https://example.com' } });
        page.on('response', (response) => resolve(response.resume().statusCode));
        page.on('error', reject).end('{}');
      });
      expect(status).toBe(403);
    });
  });
});

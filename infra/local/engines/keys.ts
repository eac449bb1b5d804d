import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { canonicalJson } from '../../../shared/base/encoding.ts';
import { guardServer } from '../door.ts';
import type { Running } from './process.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes that KMS encrypts in one call (AWS KMS API Reference, Encrypt). */
const MAX_PLAINTEXT = 4_096;

/** The members of a request that are used. Binary members are base64 in JSON. */
interface Request {
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

/** An error in the form of the protocol (AWS JSON 1.1). */
class KmsError extends Error {}

/** What ciphers are bound to: they open only with the same context. */
const contextOf = ({ EncryptionContext = {} }: Request): Buffer =>
  Buffer.from(canonicalJson(EncryptionContext));

const encrypt = (key: Buffer, request: Request): object => {
  const plaintext = Buffer.from(request.Plaintext ?? '', 'base64');
  if (plaintext.length === 0 || plaintext.length > MAX_PLAINTEXT) throw new KmsError('ValidationException');
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(contextOf(request));
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return { CiphertextBlob: Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64') };
};

const decrypt = (key: Buffer, request: Request): object => {
  const blob = Buffer.from(request.CiphertextBlob ?? '', 'base64');
  const [iv, tag, sealed] = [
    blob.subarray(0, IV_BYTES),
    blob.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
    blob.subarray(IV_BYTES + TAG_BYTES),
  ];
  try {
    const decipher = createDecipheriv(CIPHER, key, iv).setAAD(contextOf(request)).setAuthTag(tag);
    const plaintext = Buffer.concat([decipher.update(sealed), decipher.final()]);
    return { Plaintext: plaintext.toString('base64') };
  } catch {
    throw new KmsError('InvalidCiphertextException');
  }
};

const ACTIONS: Record<string, (key: Buffer, request: Request) => object> = {
  'TrentService.Encrypt': encrypt,
  'TrentService.Decrypt': decrypt,
};

/** The key in the data folder, made at the first start. Only the owner of the folder can read it. */
const loadKey = async (dataDir: string): Promise<Buffer> => {
  const file = join(dataDir, 'credentials.key');
  try {
    await writeFile(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFile(file);
};

/** Starts what the service needs of KMS: one key that encrypts and decrypts. */
export const startKeys = async (dataDir: string): Promise<Running> => {
  const key = await loadKey(dataDir);
  const server = createServer((request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    const act = async () => {
      const action = ACTIONS[String(request.headers['x-amz-target'])];
      if (!action) throw new KmsError('UnknownOperationException');
      return action(key, JSON.parse(String(await buffer(request))) as Request);
    };
    act().then(
      (reply) => send(200, reply),
      (error: unknown) =>
        send(400, { __type: error instanceof KmsError ? error.message : 'ValidationException' }),
    );
  });
  guardServer(server);
  // Node's 5 seconds end connections that a busy client is just about to use again.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

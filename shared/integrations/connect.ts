import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { seal, unseal } from '../outside/sealing.ts';
import type { Connection, ConnectionChanges, NewConnection } from '../schemas/integrations/connection.ts';
import { Credential } from '../schemas/integrations/vendor.ts';
import * as connections from './rows/connections.ts';
import type { SealedCredential, Verification } from './rows/connections.ts';
import { getConnection } from './rows/records.ts';
import { storedName, type Vendor, VendorError } from './vendor.ts';
import { vendorOf } from './vendors.ts';

/**
 * Encrypts the credential of a connection.
 * @returns base64, of at most 6 KB, for the connection's row
 * @throws ApiError 503 when KMS cannot be reached
 */
export const encryptCredential = (
  caller: Caller,
  connection_id: string,
  credential: Credential,
): Promise<string> => seal(caller, { connection: connection_id }, JSON.stringify(credential));

/**
 * The credential of a connection, for calls of its vendor. It must not be kept, logged or returned.
 * @param encrypted the result of `encryptCredential` for this connection
 * @throws ApiError 503 when KMS cannot be reached; Error when the ciphertext is not this connection's
 */
export const decryptCredential = async (
  caller: Caller,
  connection_id: string,
  encrypted: string,
): Promise<Credential> =>
  Credential.parse(JSON.parse(await unseal(caller, { connection: connection_id }, encrypted)));

/** @throws ApiError 422 unless the credential has exactly the fields that the vendor asks for */
const checkCredential = ({ auth: { fields } }: Vendor, credential: Credential): void => {
  const loc = (key: string) => ['body', 'credential', key];
  const problems: Problem[] = [
    ...fields
      .filter(({ key, required }) => required && !Object.hasOwn(credential, key))
      .map(({ key }): Problem => ({ loc: loc(key), msg: 'Field required', type: 'missing' })),
    ...Object.keys(credential)
      .filter((given) => fields.every(({ key }) => key !== given))
      .map((given): Problem => ({
        loc: loc(given),
        msg: 'Extra inputs are not permitted',
        type: 'extra_forbidden',
      })),
  ];
  if (problems.length > 0) throw errors.validationFailed(problems);
};

/** @throws ApiError 503 when the vendor does not answer: then nobody knows whether the credential is good */
const verify = async (vendor: Vendor, credential: Credential): Promise<Verification> => {
  try {
    const { id, name, slug } = await vendor.open(credential).verify();
    return { account: { id, name: storedName(name), slug: slug && storedName(slug) }, problem: null };
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    const { kind } = error.failure;
    if (kind === 'limited' || kind === 'outage') throw errors.unavailable(vendor.name, error);
    const problem = { code: 'unauthorized', message: error.message, at: new Date().toISOString() };
    return { account: null, problem };
  }
};

/** How many characters of a secret its hint shows, and how long a secret must be to have a hint. */
const HINT_LENGTH = 4;
const MIN_HINTED_LENGTH = 16;

const sealCredential = async (
  caller: Caller,
  id: string,
  { auth: { fields } }: Vendor,
  credential: Credential,
): Promise<SealedCredential> => {
  const secret = credential[fields[0]!.key] ?? '';
  return {
    credential: await encryptCredential(caller, id, credential),
    credential_hint: secret.length >= MIN_HINTED_LENGTH ? secret.slice(-HINT_LENGTH) : '',
  };
};

/**
 * Creates a connection, and asks the vendor about its credential.
 * @throws ApiError 422 for a credential of another form; 409 for too many connections; 503
 */
export const createConnection = async (
  caller: Caller,
  { vendor: vendorId, title, credential }: NewConnection,
): Promise<Connection> => {
  const vendor = vendorOf(vendorId);
  checkCredential(vendor, credential);
  const verification = await verify(vendor, credential);
  const id = uuidv7();
  const sealed = await sealCredential(caller, id, vendor, credential);
  const { api_version } = vendor;
  return connections.create(caller, { id, vendor: vendorId, title, api_version, ...sealed }, verification);
};

/** @throws ApiError 404; 422 for a credential of another form; 409 for another version; 503 */
export const updateConnection = async (
  caller: Caller,
  id: string,
  { title, credential }: ConnectionChanges,
  expectedVersion?: number,
): Promise<Connection> => {
  if (credential === undefined) return connections.update(caller, id, { title }, undefined, expectedVersion);
  const current = await getConnection(caller, id);
  const vendor = vendorOf(current.vendor);
  checkCredential(vendor, credential);
  const verification = await verify(vendor, credential);
  const sealed = await sealCredential(caller, id, vendor, credential);
  return connections.update(caller, id, { title }, { ...sealed, verification }, expectedVersion);
};

/**
 * Asks the vendor once more about the credential of a connection.
 * @throws ApiError 404; 503 when the vendor does not answer now
 */
export const verifyConnection = async (caller: Caller, id: string): Promise<Connection> => {
  const { credential, vendor: vendorId } = await getConnection(caller, id);
  const verification = await verify(vendorOf(vendorId), await decryptCredential(caller, id, credential));
  return connections.noteVerification(caller, id, credential, verification);
};

/**
 * Lets each connection wait for its credential, after an import that has brought none. Nothing is synced before.
 * @returns the connections
 */
export const askForCredentials = async (caller: Caller): Promise<{ id: string; title: string }[]> => {
  const waiting = [];
  for await (const { id, title } of connections.all(caller)) {
    await connections.awaitCredential(caller, id, await encryptCredential(caller, id, {}));
    waiting.push({ id, title });
  }
  return waiting;
};

import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import * as connections from '../db/integrations/connections.ts';
import type { SealedCredential, Verification } from '../db/integrations/connections.ts';
import { getConnection } from '../db/integrations/record.ts';
import type { Connection, ConnectionChanges, NewConnection } from '../schemas/integrations/connection.ts';
import type { Credential } from '../schemas/integrations/vendor.ts';
import { decryptCredential, encryptCredential } from './credentials.ts';
import { storedName, type Vendor, VendorError } from './vendor.ts';
import { vendorOf } from './vendors.ts';

/** @throws ApiError 422 unless the credential has the fields that the vendor asks for, and no others */
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

/** @throws ApiError 503 when the vendor does not answer now: whether the credential is good is not known then */
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

/** Characters of a secret that a hint shows, and the shortest secret that has one. */
const HINT_LENGTH = 4;
const MIN_HINTED_LENGTH = 16;

const seal = async (
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
  const sealed = await seal(caller, id, vendor, credential);
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
  const sealed = await seal(caller, id, vendor, credential);
  return connections.update(caller, id, { title }, { ...sealed, verification }, expectedVersion);
};

/**
 * Asks the vendor once more about the credential of a connection.
 * @throws ApiError 404; 503 when the vendor does not answer now
 */
export const verifyConnection = async (caller: Caller, id: string): Promise<Connection> => {
  const { credential, vendor: vendorId } = await getConnection(caller, id);
  const verification = await verify(vendorOf(vendorId), await decryptCredential(caller, id, credential));
  return connections.noteVerdict(caller, id, credential, verification);
};

import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import type { Caller } from '../base/caller.ts';
import { connection } from '../base/connection.ts';
import { environment } from '../base/environment.ts';
import { type TenantCredentials, tenantClients } from '../base/tenancy.ts';
import { retrying } from '../db/table/retry.ts';
import { Credential } from '../schemas/integrations/vendor.ts';

const clients = tenantClients(
  (credentials?: TenantCredentials) =>
    new KMSClient({ ...connection('key'), ...(credentials && { credentials }) }),
);

const KEY_STORE = 'The store of keys';

/**
 * What a ciphertext is bound to. KMS opens it only with the same context, so one that is copied to another connection or
 * organization is worthless there; and IAM lets a function use the key only with its own organization in the context.
 */
const contextOf = ({ org_id }: Caller, connection_id: string) => ({
  organization: org_id,
  connection: connection_id,
});

/**
 * Encrypts the credential of a connection by KMS, which keeps the key to itself.
 * @returns base64, of at most 6 KB, for the connection's row
 * @throws ApiError 503 when KMS cannot be reached
 */
export const encryptCredential = async (
  caller: Caller,
  connection_id: string,
  credential: Credential,
): Promise<string> => {
  const command = new EncryptCommand({
    KeyId: environment('CREDENTIALS_KEY_ID'),
    Plaintext: Buffer.from(JSON.stringify(credential)),
    EncryptionContext: contextOf(caller, connection_id),
  });
  const { CiphertextBlob } = await retrying(KEY_STORE, () => clients.of(caller).send(command));
  return Buffer.from(CiphertextBlob!).toString('base64');
};

/**
 * The credential of a connection. It is for one call of a vendor: it must not be kept, logged or returned.
 * @param encrypted what `encryptCredential` has returned for this connection
 * @throws ApiError 503 when KMS cannot be reached; Error when the ciphertext is not this connection's
 */
export const decryptCredential = async (
  caller: Caller,
  connection_id: string,
  encrypted: string,
): Promise<Credential> => {
  const command = new DecryptCommand({
    KeyId: environment('CREDENTIALS_KEY_ID'),
    CiphertextBlob: Buffer.from(encrypted, 'base64'),
    EncryptionContext: contextOf(caller, connection_id),
  });
  const { Plaintext } = await retrying(KEY_STORE, () => clients.of(caller).send(command));
  return Credential.parse(JSON.parse(Buffer.from(Plaintext!).toString('utf8')));
};

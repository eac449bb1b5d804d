import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import type { Caller } from '../base/caller.ts';
import { connection } from '../base/connection.ts';
import { environment } from '../base/environment.ts';
import { tenantClients } from '../base/tenancy.ts';
import { retrying } from '../table/retry.ts';

const clients = tenantClients((confined) => new KMSClient({ ...connection('key'), ...confined }));

const KEY_STORE = 'The store of keys';

/** What a secret belongs to. */
export type Owner = { connection: string } | { webhook: string } | { deletion: string };

/**
 * What a ciphertext is bound to. KMS opens it only with the same context, so one that is copied to another owner or
 * organization is worthless there; and IAM lets a function use the key only with its own organization in the context.
 */
const contextOf = ({ org_id }: Caller, owner: Owner) => ({ organization: org_id, ...owner });

/**
 * Encrypts a secret by KMS, which keeps the key to itself.
 * @param secret at most 4 KB
 * @returns base64, of at most 6 KB, for the owner's row
 * @throws ApiError 503 when KMS cannot be reached
 */
export const seal = async (caller: Caller, owner: Owner, secret: string): Promise<string> => {
  const command = new EncryptCommand({
    KeyId: environment('CREDENTIALS_KEY_ID'),
    Plaintext: Buffer.from(secret),
    EncryptionContext: contextOf(caller, owner),
  });
  const { CiphertextBlob } = await retrying(KEY_STORE, () => clients.of(caller).send(command));
  return Buffer.from(CiphertextBlob!).toString('base64');
};

/**
 * A secret that was sealed. It must not be kept, logged or returned.
 * @param sealed what `seal` has returned for this owner
 * @throws ApiError 503 when KMS cannot be reached; Error when the ciphertext is not this owner's
 */
export const unseal = async (caller: Caller, owner: Owner, sealed: string): Promise<string> => {
  const command = new DecryptCommand({
    KeyId: environment('CREDENTIALS_KEY_ID'),
    CiphertextBlob: Buffer.from(sealed, 'base64'),
    EncryptionContext: contextOf(caller, owner),
  });
  const { Plaintext } = await retrying(KEY_STORE, () => clients.of(caller).send(command));
  return Buffer.from(Plaintext!).toString('utf8');
};

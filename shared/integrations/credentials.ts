import type { Caller } from '../base/caller.ts';
import { Credential } from '../schemas/integrations/vendor.ts';
import { seal, unseal } from '../secrets/sealing.ts';

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
 * The credential of a connection. It is for one call of a vendor: it must not be kept, logged or returned.
 * @param encrypted what `encryptCredential` has returned for this connection
 * @throws ApiError 503 when KMS cannot be reached; Error when the ciphertext is not this connection's
 */
export const decryptCredential = async (
  caller: Caller,
  connection_id: string,
  encrypted: string,
): Promise<Credential> =>
  Credential.parse(JSON.parse(await unseal(caller, { connection: connection_id }, encrypted)));

import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { parseCustomerUrl } from '../outside/destination.ts';
import { OutgoingError } from '../outside/outgoing-error.ts';
import { seal } from '../outside/sealing.ts';
import type {
  CreatedWebhook,
  RotatedSecret,
  SecretRotation,
  Webhook,
  WebhookChanges,
} from '../schemas/webhook.ts';
import type { SealedHeader } from '../table/entities/webhooks.ts';
import * as webhooks from './webhooks.ts';
import type { NewFields, SealedSecret } from './webhooks.ts';

/** Random bytes of a secret: 192 to 512 bits (Standard Webhooks, "Signature scheme"). */
const SECRET_BYTES = 32;

/** Characters of a secret that its hint shows. */
const HINT_LENGTH = 4;

/** @throws ApiError 422 for a URL that the service never calls */
const checkUrl = (url: string): void => {
  try {
    parseCustomerUrl(url);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const msg = `Value error, ${error.message}`;
    throw errors.validationFailed([{ loc: ['body', 'url'], msg, type: 'value_error' }]);
  }
};

/** A new secret, and how it is stored. @throws ApiError 503 when KMS cannot be reached */
const newSecret = async (
  caller: Caller,
  webhook: string,
): Promise<{ secret: string; sealed: SealedSecret }> => {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const sealed = {
    secret: await seal(caller, { webhook }, secret),
    secret_hint: secret.slice(-HINT_LENGTH),
  };
  return { secret, sealed };
};

type GivenHeaders = WebhookChanges['headers'];

/** Headers of the customer's own, as they are stored. @throws ApiError 503 when KMS cannot be reached */
const sealHeaders = (caller: Caller, webhook: string, headers: GivenHeaders): Promise<SealedHeader[]> =>
  Promise.all(
    Object.entries(headers ?? {}).map(async ([name, value]) => ({
      name,
      value: await seal(caller, { webhook }, value),
    })),
  );

/**
 * Creates an endpoint. Only the reply contains its secret.
 * @throws ApiError 422 for a URL that the service never calls; 400 for a filter that names what does not exist; 409 for
 *   too many endpoints; 503
 */
export const createWebhook = async (
  caller: Caller,
  { headers, ...fields }: Omit<NewFields, 'headers'> & { headers?: GivenHeaders },
): Promise<CreatedWebhook> => {
  checkUrl(fields.url);
  const id = uuidv7();
  const { secret, sealed } = await newSecret(caller, id);
  return webhooks.create(
    caller,
    { id, ...fields, ...sealed, headers: await sealHeaders(caller, id, headers) },
    secret,
  );
};

/**
 * @throws ApiError 404; 422 for a URL that the service never calls; 400 for a filter that names what does not exist; 409
 *   for another version
 */
export const updateWebhook = async (
  caller: Caller,
  id: string,
  { headers, ...changes }: WebhookChanges,
  expectedVersion?: number,
): Promise<Webhook> => {
  if (changes.url !== undefined) checkUrl(changes.url);
  const sealed = headers === undefined ? undefined : await sealHeaders(caller, id, headers);
  return webhooks.update(caller, id, { ...changes, headers: sealed }, expectedVersion);
};

/** Gives an endpoint another secret. Only the reply contains it. @throws ApiError 404; 409 for another version; 503 */
export const rotateSecret = async (
  caller: Caller,
  id: string,
  rotation: SecretRotation,
  expectedVersion?: number,
): Promise<RotatedSecret> => {
  const { secret, sealed } = await newSecret(caller, id);
  return webhooks.rotate(caller, id, sealed, { secret, ...rotation }, expectedVersion);
};

/** Gives each endpoint a secret, after an import that has brought none. @returns the secrets */
export const renewSecrets = async (
  caller: Caller,
): Promise<{ id: string; url: string; secret: string }[]> => {
  const renewed = [];
  for await (const { id, url } of webhooks.all(caller)) {
    const { secret, sealed } = await newSecret(caller, id);
    await webhooks.begin(caller, id, sealed);
    renewed.push({ id, url, secret });
  }
  return renewed;
};

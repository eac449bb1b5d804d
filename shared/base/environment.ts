import type { QueueName } from './queues.ts';

/**
 * The variables that name a function's table, bucket, queues and the key of credentials, the URL of the service in
 * links to its pages, the identity provider with the service's id there, and the release that runs. The deployment and
 * the local service set them.
 */
export type Variable =
  | 'TABLE_NAME'
  | 'BUCKET_NAME'
  | 'CREDENTIALS_KEY_ID'
  | 'PUBLIC_URL'
  | 'OIDC_ISSUER'
  | 'OIDC_CLIENT_ID'
  | 'RELEASE'
  | `${Uppercase<QueueName>}_QUEUE_URL`;

/**
 * Variables that a deployment may leave empty. `MAIL_WINDOW_SECONDS`: how long a mail waits for more news for its
 * recipient. `INSPECTION_URL`: where people open an inspection, with `{inspection_id}`. `OIDC_CLIENT_SECRET`: only for
 * identity providers that give clients a secret. `…_API_URL`: where the API of a vendor is, if not at its own address.
 * `FILES_PATH`: where the service itself hands out stored files below its URL, instead of the storage, which then checks
 * no signatures. `ALLOW_LOOPBACK_WEBHOOKS`: `1` on a developer's machine, where webhooks may call the machine itself.
 * `REQUEST_LOG`: `on` where the last requests of each key are kept.
 */
type OptionalVariable =
  | 'OIDC_CLIENT_SECRET'
  | 'MAIL_FROM'
  | 'MAIL_WINDOW_SECONDS'
  | 'MAIL_CONFIGURATION_SET'
  | 'INSPECTION_URL'
  | `${Uppercase<string>}_API_URL`
  | 'FILES_PATH'
  | 'ALLOW_LOOPBACK_WEBHOOKS'
  | 'REQUEST_LOG';

/**
 * The value of one of the deployment's variables. Call it when the value is needed, not at import.
 * @throws Error that names the variable when it is not set
 */
export const environment = (name: Variable): string => {
  const value = process.env[name];
  if (!value) throw new Error(`environment variable ${name} is not set`);
  return value;
};

/** The value of an optional variable; undefined when it is not set or empty. */
export const optionalEnvironment = (name: OptionalVariable): string | undefined =>
  process.env[name] || undefined;

/** The URL of a page, such as `https://inspections.example.com/s/…`. @param path what follows the service's own URL */
export const publicUrl = (...path: string[]): string =>
  [environment('PUBLIC_URL').replace(/\/+$/, ''), ...path].join('/');

import type { AwsCredentialIdentityProvider } from '@aws-sdk/types';
import type { Caller } from './caller.ts';
import { connection } from './connection.ts';

export type TenantCredentials = AwsCredentialIdentityProvider;

/** Seconds. With role chaining, a session lasts at most an hour (AWS IAM, "Role chaining"). */
const SESSION_SECONDS = 3_600;

/** Milliseconds. A presigned URL, valid for 15 minutes, must not outlive the session that signed it. */
const RENEW_BEFORE_MS = 20 * 60_000;

/**
 * Credentials that IAM restricts to the caller's organization. They come from the deployment's tenant role, assumed
 * with the organization as session tag and the function's own grants as session policy. Undefined when the deployment
 * has no such role. The SDK client caches the credentials until shortly before the session ends.
 */
const tenantCredentials = (caller: Caller): TenantCredentials | undefined => {
  const roleArn = process.env['TENANT_ROLE_ARN'];
  if (!roleArn) return undefined;
  return async () => {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
    const { Credentials } = await new STSClient(connection('role')).send(
      new AssumeRoleCommand({
        RoleArn: roleArn,
        RoleSessionName: `org-${caller.org_id}`,
        DurationSeconds: SESSION_SECONDS,
        Tags: [{ Key: 'org_id', Value: caller.org_id }],
        Policy: process.env['TENANT_SESSION_POLICY'],
      }),
    );
    if (!Credentials?.AccessKeyId || !Credentials.SecretAccessKey || !Credentials.Expiration) {
      throw new Error('the tenant role gave no credentials');
    }
    return {
      accessKeyId: Credentials.AccessKeyId,
      secretAccessKey: Credentials.SecretAccessKey,
      ...(Credentials.SessionToken && { sessionToken: Credentials.SessionToken }),
      expiration: new Date(Credentials.Expiration.getTime() - RENEW_BEFORE_MS),
    };
  };
};

/** Clients that a function keeps, because it may serve many organizations while it is warm. */
const MAX_CLIENTS = 50;

/**
 * The clients of one AWS service. With row-level security, each organization has its own client, whose credentials IAM
 * restricts to that organization. Otherwise all organizations share one client.
 */
export const tenantClients = <Client>(newClient: (credentials?: TenantCredentials) => Client) => {
  const clients = new Map<string, Client>();
  const cached = (owner: string, credentials?: TenantCredentials): Client => {
    const existing = clients.get(owner);
    if (existing) return existing;
    for (const oldest of clients.keys()) {
      if (clients.size < MAX_CLIENTS) break;
      clients.delete(oldest);
    }
    const client = newClient(credentials);
    clients.set(owner, client);
    return client;
  };
  return {
    of: (caller: Caller): Client => {
      const credentials = tenantCredentials(caller);
      return credentials ? cached(caller.org_id, credentials) : cached('');
    },
    /** For data that belongs to no organization. */
    shared: (): Client => cached(''),
  };
};

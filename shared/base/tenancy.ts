import type { AwsCredentialIdentityProvider } from '@aws-sdk/types';
import type { Caller } from './caller.ts';

export type TenantCredentials = AwsCredentialIdentityProvider;

/** Sessions of a chained role last an hour at most (AWS IAM, "Role chaining"). */
const SESSION_SECONDS = 3_600;

/** What a session signs, a presigned URL say, must not outlive it; those live 15 minutes. */
const RENEW_BEFORE_MS = 20 * 60_000;

/**
 * Credentials that IAM confines to the caller's organization: the deployment's tenant role, assumed with the
 * organization as session tag and the function's own grants as session policy. Undefined where the deployment
 * has no such role. The provider caches until shortly before the session ends.
 */
const tenantCredentials = (caller: Caller): TenantCredentials | undefined => {
  const roleArn = process.env['TENANT_ROLE_ARN'];
  if (!roleArn) return undefined;
  return async () => {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
    const { Credentials } = await new STSClient().send(
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

// A warm function serves many organizations in its life; their clients must not pile up.
const MOST_CLIENTS = 50;

/**
 * One service's clients. Where row-level security is deployed each organization has its own, which signs with
 * credentials that IAM itself confines to that organization; else all share one.
 */
export const tenantClients = <Client>(newClient: (credentials?: TenantCredentials) => Client) => {
  const clients = new Map<string, Client>();
  const cached = (owner: string, credentials?: TenantCredentials): Client => {
    const existing = clients.get(owner);
    if (existing) return existing;
    for (const oldest of clients.keys()) {
      if (clients.size < MOST_CLIENTS) break;
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
    /** Of what stands outside any organization. */
    shared: (): Client => cached(''),
  };
};

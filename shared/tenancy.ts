import type { AwsCredentialIdentityProvider } from '@aws-sdk/types';
import type { Caller } from './domain/caller.ts';

/** Sessions of a chained role last an hour at most (AWS IAM, "Role chaining"). */
const SESSION_SECONDS = 3_600;

/** What a session signs, a presigned URL say, must not outlive it; those live 15 minutes. */
const RENEW_BEFORE_MS = 20 * 60_000;

/**
 * Credentials that IAM confines to the caller's organization: the deployment's tenant role, assumed with the
 * organization as session tag and the function's own grants as session policy. Undefined where the deployment
 * has no such role. The provider caches until shortly before the session ends.
 */
export const tenantCredentials = (caller: Caller): AwsCredentialIdentityProvider | undefined => {
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

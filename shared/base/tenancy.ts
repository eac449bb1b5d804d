import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { STSClient } from '@aws-sdk/client-sts';
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from '@aws-sdk/types';
import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';
import { connection } from './connection.ts';

/*
 * Row-level security: what a request sends is signed with credentials that IAM confines to one organization. A function
 * serves many organizations while it is warm, so it keeps a session of the tenant role for each of them, and one client
 * for each AWS service.
 *
 * Lambda's tenant isolation mode would start an execution environment for each organization, so that no environment ever
 * held the sessions of two. Each environment would then need one session, and this cache would be one entry. It can be
 * set only when a function is created, the gateway would have to name the organization before the function has read the
 * key, every organization would pay its own cold starts, and each environment is charged. IAM gives an environment no
 * tag of its tenant, so the tenant role and its sessions would be needed as they are.
 */

/** Seconds. With role chaining, a session lasts at most an hour (AWS IAM, "Role chaining"). */
export const SESSION_SECONDS = 3_600;

/** Milliseconds. A presigned URL, valid for 15 minutes, must not outlive the session that signed it. */
const MIN_LEFT_MS = 15 * 60_000;

/** How long before its end a session is renewed, in milliseconds. If STS fails then, the session serves a while yet. */
export const RENEW_BEFORE_MS = 20 * 60_000;

/** Milliseconds for which a session is kept that could not be renewed. */
const RETRY_RENEWAL_MS = 10_000;

/** Organizations whose sessions a function keeps. One takes about 2 KB. */
export const MAX_SESSIONS = 1_000;

type Session = AwsCredentialIdentity & { expiration: Date };

/** The organization whose session signs what is sent. */
const organization = new AsyncLocalStorage<string>();

/** Hexadecimal digits of an alias: 128 bits, by which two organizations never share one. */
const ALIAS_LENGTH = 32;

/**
 * Names an organization, or something of it, to people who may not know its id: nobody can tell the id from it, and
 * whoever knows the id finds the name again, so it is not stored. The keys of an organization's objects have its alias,
 * and the policy of the tenant role confines a session to them.
 * @param id of something of the organization
 */
export const aliasOf = ({ org_id }: Pick<Caller, 'org_id'>, id?: string): string =>
  createHash('sha256')
    .update(['alias', org_id, ...(id === undefined ? [] : [id])].join('\n'))
    .digest('hex')
    .slice(0, ALIAS_LENGTH);

let client: STSClient | undefined;

/**
 * A session of the tenant role, with the organization as session tags and the function's own grants as session policy.
 * @throws Error with `isOfSession`, which the log counts, when STS refuses; Error when it gives no credentials
 */
const newSession = async (org_id: string): Promise<Session> => {
  const sts = await import('@aws-sdk/client-sts');
  client ??= new sts.STSClient(connection('role'));
  const assumed = client.send(
    new sts.AssumeRoleCommand({
      RoleArn: process.env['TENANT_ROLE_ARN'],
      // S3 names the session to whoever opens the signed URL of a file that is missing. CloudTrail has the tags.
      RoleSessionName: `org-${aliasOf({ org_id })}`,
      DurationSeconds: SESSION_SECONDS,
      Tags: [
        { Key: 'org_id', Value: org_id },
        { Key: 'alias', Value: aliasOf({ org_id }) },
      ],
      Policy: process.env['TENANT_SESSION_POLICY'],
    }),
  );
  const { Credentials } = await assumed.catch((error: Error) => {
    throw Object.assign(error, { isOfSession: true });
  });
  if (!Credentials?.AccessKeyId || !Credentials.SecretAccessKey || !Credentials.Expiration) {
    throw new Error('the tenant role gave no credentials');
  }
  return {
    accessKeyId: Credentials.AccessKeyId,
    secretAccessKey: Credentials.SecretAccessKey,
    ...(Credentials.SessionToken && { sessionToken: Credentials.SessionToken }),
    expiration: Credentials.Expiration,
  };
};

const leftOf = ({ expiration }: Session): number => expiration.getTime() - Date.now();

const newSessions = () =>
  new LRUCache<string, Session>({
    max: MAX_SESSIONS,
    // A session ends by the clock of the day, whether the function was frozen in between or not.
    perf: { now: () => Date.now() },
    ttlResolution: 0,
    // Whoever waits for a session gets it, although so many others were asked for that it is not kept.
    ignoreFetchAbort: true,
    fetchMethod: async (org_id, current, { options }) => {
      try {
        const session = await newSession(org_id);
        options.ttl = Math.max(1, leftOf(session) - RENEW_BEFORE_MS);
        return session;
      } catch (error) {
        if (!current || leftOf(current) < MIN_LEFT_MS + RETRY_RENEWAL_MS) throw error;
        options.ttl = RETRY_RENEWAL_MS;
        return current;
      }
    },
  });

let sessions: ReturnType<typeof newSessions> | undefined;

/**
 * The credentials of the organization in whose name `run` works. `memoized` keeps the SDK from caching what this gives:
 * it would sign for all organizations with the session of the first one.
 */
const sessionCredentials: AwsCredentialIdentityProvider = Object.assign(
  async () => {
    const org_id = organization.getStore();
    if (org_id === undefined) throw new Error('no organization to sign for');
    sessions ??= newSessions();
    return sessions.forceFetch(org_id);
  },
  { memoized: true },
);

interface Client {
  send: (...args: never[]) => unknown;
}

/**
 * The clients of one AWS service: one whose calls are signed for the organization of whoever makes them, and one with
 * the function's own rights. They are the same one in a deployment without a tenant role.
 * @param newClient makes a client; without credentials, it has those of the function
 */
export const tenantClients = <Service extends Client>(
  newClient: (confined: { credentials?: AwsCredentialIdentityProvider }) => Service,
) => {
  let own: Service | undefined;
  let confined: Service | undefined;
  const shared = (): Service => (own ??= newClient({}));
  const run = <Result>(caller: Caller, work: (client: Service) => Result): Result => {
    if (!process.env['TENANT_ROLE_ARN']) return work(shared());
    const signing = (confined ??= newClient({ credentials: sessionCredentials }));
    return organization.run(caller.org_id, () => work(signing));
  };
  return {
    /** For data that belongs to no organization. */
    shared,
    /** Runs `work`, all of whose calls and signatures are made for the caller's organization. */
    run,
    /** Sends commands for the caller's organization. */
    of: (caller: Caller): Pick<Service, 'send'> => ({
      send: (...args) => run(caller, (client) => client.send(...args)),
    }),
  };
};

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Caller } from '../../shared/base/caller.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import { getObject, objectKey } from '../../shared/files/objects.ts';
import { seal } from '../../shared/outside/sealing.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';

/** What was asked of AWS. */
interface Asked {
  connections: number;
  sessions: number;
  /** Calls for an organization that another one's session has signed. */
  misplaced: number;
}

const SESSION_MS = 3_600_000;

/** What STS replies to a request for a session: its key has the id of the organization that its tag names. */
export const sessionReply = (request: string): string => {
  const org = new URLSearchParams(request).get('Tags.member.1.Value')!;
  return `<AssumeRoleResponse><AssumeRoleResult><Credentials>
    <AccessKeyId>${org}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
    <Expiration>${new Date(Date.now() + SESSION_MS).toISOString()}</Expiration>
    </Credentials></AssumeRoleResult></AssumeRoleResponse>`;
};

const signerOf = ({ headers }: IncomingMessage) =>
  /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1];

/** An AWS whose sessions have the id of their organization as the id of their key: STS, the table, the bucket and KMS. */
export const startAws = async () => {
  const asked: Asked = { connections: 0, sessions: 0, misplaced: 0 };
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (body.includes('Action=AssumeRole')) {
      asked.sessions += 1;
      reply.writeHead(200, { 'content-type': 'text/xml' }).end(sessionReply(body));
      return;
    }
    const org_id = signerOf(request)!;
    const named = `${request.url} ${body}`;
    // The key of an object names the organization by its alias.
    if (!named.includes(org_id) && !named.includes(aliasOf({ org_id }))) asked.misplaced += 1;
    const isObject = request.method === 'GET';
    reply
      .writeHead(isObject ? 404 : 200, { 'content-type': isObject ? 'application/xml' : 'application/json' })
      .end(isObject ? '<Error><Code>NoSuchKey</Code></Error>' : '{"CiphertextBlob":"AAAA"}');
  };
  const server = createServer((request, reply) => void answer(request, reply));
  // It never closes an idle connection, so a new one is the client's own doing.
  server.keepAliveTimeout = 0;
  server.on('connection', () => (asked.connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** The variables of a function that has row-level security. */
    variables: {
      ...Object.fromEntries(
        ['STS', 'DYNAMODB', 'S3', 'KMS'].map((name) => [`AWS_ENDPOINT_URL_${name}`, url]),
      ),
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'own',
      AWS_SECRET_ACCESS_KEY: 'own',
      TABLE_NAME: 'table',
      BUCKET_NAME: 'bucket',
      CREDENTIALS_KEY_ID: 'key',
      TENANT_ROLE_ARN: 'arn:aws:iam::123456789012:role/tenant',
      TENANT_SESSION_POLICY: '{}',
    },
    /** What was asked since it was last read. */
    read: (): Asked => {
      const read = { ...asked };
      Object.assign(asked, { connections: 0, sessions: 0, misplaced: 0 });
      return read;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export const newCallers = (organizations: number): Caller[] =>
  Array.from({ length: organizations }, () => ({ org_id: randomUUID(), user_id: 'u', name: 'n' }));

/** A request that reads a row, opens a file and seals a secret. */
const serve = (caller: Caller) =>
  Promise.all([
    getRow(caller, keys.organization(caller)),
    getObject(caller, objectKey(caller, 'x')),
    seal(caller, { webhook: 'w' }, 'secret'),
  ]);

/** Serves a number of requests, so many at a time, of each organization in turn. */
export const serveAll = async (
  callers: readonly Caller[],
  requests: number,
  atOnce: number,
): Promise<void> => {
  let served = 0;
  const next = async (): Promise<void> => {
    while (served < requests) {
      served += 1;
      await serve(callers[served % callers.length]!);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
};

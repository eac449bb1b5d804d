import { AsyncLocalStorage } from 'node:async_hooks';
import type { Grant } from '../../infra/grants.ts';
import type { EventType } from '../../shared/schemas/event-data.ts';
import { interceptCommands, type Sending } from './commands.ts';
import { eventsIn } from './event-check.ts';

/** The commands that one request sent to AWS. Each attempt counts. */
export interface Recording {
  /** The grants that the commands need, without those for the authentication. */
  grants: Set<Grant>;
  tableCalls: number;
  /** The types of the events that were emitted. */
  events: Set<EventType>;
  /** Who made the changes that they tell of: a user id, and the key that acted for them if there was one. */
  actors: Set<string>;
  /** The writes that authenticate and count the request: one, or two for the first request of a minute. */
  stamps: number;
}

/** The DynamoDB calls of a request, without the one by which the first request of a minute depends on the time. */
export const callsOf = ({ tableCalls, stamps }: Recording): number => tableCalls - Math.max(0, stamps - 1);

const recordings = new AsyncLocalStorage<Recording>();

const TRANSACTION_ITEMS: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** The IAM actions of commands that have no action of the same name. */
const BUCKET_ACTIONS: Record<string, Grant[]> = {
  HeadObject: ['bucket:GetObject'],
  CopyObject: ['bucket:GetObject', 'bucket:PutObject'],
  CreateMultipartUpload: ['bucket:PutObject'],
  UploadPart: ['bucket:PutObject'],
  CompleteMultipartUpload: ['bucket:PutObject'],
  DeleteObjects: ['bucket:DeleteObject'],
};

/** Rows that belong to no organization, and the service that their grants name. */
const SYSTEM_SERVICES = [
  [/^LINK#/, 'link'],
  [/^VISITS#/, 'visits'],
  [/^KEY#/, 'key'],
  [/^SESSION#/, 'session'],
  [/^PERSON#/, 'person'],
  [/^EMAIL#/, 'email'],
] as const;

const serviceOf = (partition: string): string =>
  SYSTEM_SERVICES.find(([pattern]) => pattern.test(partition))?.[1] ?? 'table';

const partitionOf = (input: Sending['input']): string => {
  type WithKey = { pk?: string };
  const {
    Key,
    Item,
    RequestItems = {},
    ExpressionAttributeValues = {},
  } = input as {
    Key?: WithKey;
    Item?: WithKey;
    RequestItems?: Record<string, { Keys: WithKey[] }>;
    ExpressionAttributeValues?: Record<string, unknown>;
  };
  const { pk } = Key ?? Item ?? Object.values(RequestItems)[0]?.Keys[0] ?? {};
  // A query names its partition by its first value.
  return pk ?? (ExpressionAttributeValues[':v0'] as string | undefined) ?? '';
};

/** The grants that a command needs. */
const grantsOfCommand = ({ client, command, input }: Sending): Grant[] => {
  switch (client) {
    case 'DynamoDBClient': {
      const items = input['TransactItems'] as Record<string, Sending['input']>[] | undefined;
      const actions = items?.flatMap((item) =>
        Object.entries(item).map(([verb, row]) => [serviceOf(partitionOf(row)), TRANSACTION_ITEMS[verb]!]),
      );
      return (actions ?? [[serviceOf(partitionOf(input)), command]]).map(
        ([service, action]) => `${service}:${action}` as Grant,
      );
    }
    case 'S3Client':
      return BUCKET_ACTIONS[command] ?? [`bucket:${command}` as Grant];
    case 'SQSClient':
      // Every worker may offer the messages of its own queue again.
      if (command === 'ChangeMessageVisibility') return [];
      return [`queue:${String(input['QueueUrl']).split('/').at(-1)}:SendMessage` as Grant];
    case 'KMSClient':
      return [
        `${'webhook' in (input['EncryptionContext'] as object) ? 'secret' : 'credential'}:${command}` as Grant,
      ];
    case 'SESv2Client':
      return [`mail:${command}` as Grant];
    default:
      throw new Error(`${client} sends ${command}, for which there is no grant`);
  }
};

const isStamp = ({ command, input }: Sending): boolean => {
  const { pk } = (input['Key'] ?? {}) as { pk?: string };
  return (
    command === 'UpdateItem' &&
    pk !== undefined &&
    pk.startsWith('KEY#') &&
    'UpdateExpression' in input &&
    String(input['UpdateExpression']).includes('last_used_at')
  );
};

const record = (recording: Recording, sending: Sending): void => {
  for (const { type, actor_id, acted_via_key_id } of eventsIn(sending)) {
    recording.events.add(type);
    recording.actors.add([actor_id, ...(acted_via_key_id ? [acted_via_key_id] : [])].join(' via '));
  }
  if (sending.client === 'DynamoDBClient') recording.tableCalls += 1;
  if (isStamp(sending)) recording.stamps += 1;
  else for (const grant of grantsOfCommand(sending)) recording.grants.add(grant);
};

/** Records every command. Called once in a test file, before its tests. */
export const installRecorder = (): void =>
  interceptCommands('recorder', (sending) => {
    const recording = recordings.getStore();
    if (recording) record(recording, sending);
    return sending.send();
  });

/** Runs `work` and records what it sends. */
export const recording = async <Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; sent: Recording }> => {
  const sent: Recording = {
    grants: new Set(),
    tableCalls: 0,
    events: new Set(),
    actors: new Set(),
    stamps: 0,
  };
  return { result: await recordings.run(sent, work), sent };
};

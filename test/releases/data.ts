import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { isOwnKey } from '../../shared/files/objects.ts';
import { kindOf } from '../../shared/table/keys.ts';
import { drain, MAX_ROUNDS } from '../support/drain.ts';
import { freeze, type FrozenObject, type FrozenRow, keyOf, lineOf, OBJECTS, ROWS } from './frozen.ts';
import type { STATES } from './states.ts';

/** Makes each state three times: everything that it leads to waits, its first part is done, or all of it. */
const makeStates = async (states: typeof STATES): Promise<void> => {
  for (const makeState of states) {
    for (const rounds of [0, 1, MAX_ROUNDS]) await drain(await makeState(), rounds);
  }
};

const allRows = async (): Promise<FrozenRow[]> => {
  const rows: FrozenRow[] = [];
  const pages = paginateScan({ client: new DynamoDBClient() }, { TableName: process.env['TABLE_NAME'] });
  for await (const { Items = [] } of pages) rows.push(...Items);
  return rows;
};

/** The organization of a row. */
const orgOf = ({ pk, sk, org_id }: FrozenRow): string =>
  /^ORG#([^#]+)/.exec(pk!.S!)?.[1] ?? org_id?.S ?? sk!.S!;

/** What is special about a row: its kind, its state, and which attributes it has. */
const stateOf = (row: FrozenRow): string => {
  const kind = kindOf(keyOf(row));
  const values = ['status', 'state', 'kind', 'event', 'type', 'outbox'].map((name) => row[name]?.S);
  return [kind, ...values, ...Object.keys(row).toSorted()].join();
};

/** Organizations in which every state of a row occurs: as few as a simple search finds. */
const representatives = (rows: readonly FrozenRow[]): FrozenRow[] => {
  const left = new Map(
    Map.groupBy(rows, orgOf)
      .entries()
      .map(([org, own]) => [org, new Set(own.map(stateOf))]),
  );
  const chosen = new Set<string>();
  const missing = new Set(rows.map(stateOf));
  while (missing.size > 0) {
    const gains = left.entries().map(([org, states]) => [org, states.intersection(missing)] as const);
    const [org, gain] = gains.reduce((best, each) => (each[1].size > best[1].size ? each : best));
    chosen.add(org);
    for (const state of gain) missing.delete(state);
  }
  return rows.filter((row) => chosen.has(orgOf(row)));
};

/** The objects of these organizations. */
const objectsOf = async (orgs: ReadonlySet<string>): Promise<FrozenObject[]> => {
  const owners = [...orgs].map((org_id) => ({ org_id }));
  const client = new S3Client({ forcePathStyle: true });
  const Bucket = process.env['BUCKET_NAME']!;
  const objects: FrozenObject[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key: key } of Contents) {
      if (!owners.some((owner) => isOwnKey(owner, key!))) continue;
      const { Body, ContentType: type } = await client.send(new GetObjectCommand({ Bucket, Key: key }));
      objects.push({ key: key!, type, body: await Body!.transformToString('base64') });
    }
  }
  return objects;
};

/** Stores in a folder the rows and objects that these states of organizations lead to. */
export const freezeData = async (folder: string, states: typeof STATES): Promise<void> => {
  await makeStates(states);
  const rows = representatives(await allRows());
  const objects = await objectsOf(new Set(rows.map(orgOf)));
  freeze(folder, ROWS, rows.map(lineOf));
  freeze(
    folder,
    OBJECTS,
    objects.map((object) => JSON.stringify(object)),
  );
};

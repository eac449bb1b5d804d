import { createReadStream } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../shared/base/caller.ts';
import { putStream } from '../../../shared/files/streams.ts';
import { renewCodes } from '../../../shared/inspections/certificates/certificates.ts';
import { askForCredentials } from '../../../shared/integrations/connect.ts';
import { renewTokens } from '../../../shared/issues/public-links.ts';
import { renewSecrets as renewKeys } from '../../../shared/organizations/api-keys.ts';
import { mark } from '../../../shared/organizations/suspension.ts';
import { putRows } from '../../../shared/table/bulk.ts';
import { hasValues } from '../../../shared/table/conditions.ts';
import type { StoredOrganization, Suspension } from '../../../shared/table/entities/organization.ts';
import type { Stored } from '../../../shared/table/forms.ts';
import { keys, kindOf, nameOfKey } from '../../../shared/table/keys.ts';
import { getRow } from '../../../shared/table/rows.ts';
import { tryWrite } from '../../../shared/table/single-write.ts';
import * as write from '../../../shared/table/writes.ts';
import { checkOrganization } from '../../../shared/upkeep/consistency/check.ts';
import { importedRows } from '../../../shared/upkeep/moving/rows.ts';
import { renewSecrets as renewWebhooks } from '../../../shared/webhooks/endpoints.ts';
import { checkFolder } from './check-folder.ts';
import { deleteWrittenLate } from './delete.ts';
import { linesOf, ListedObject, OBJECT_LIST, readManifest, rowIn, rowsPath, within } from './folder.ts';

const DELETED = 'The organization was deleted while it was imported. Nothing of the import is kept.';

/** Whether somebody has begun to delete the organization. */
const isDeleted = (row: StoredOrganization | undefined): boolean =>
  !row?.suspended?.importing || row.suspended.delete_after !== null;

/** @throws Error when somebody has begun to delete the organization */
const expectKept = async (caller: Caller): Promise<void> => {
  if (isDeleted(await getRow(caller, keys.organization(caller)))) throw new Error(DELETED);
};

/** Rows that are written together. */
const MAX_ROWS = 500;

/** Writes the rows of a file, with those that follow from them. */
const writeFileRows = async (caller: Caller, file: string): Promise<void> => {
  // A row replaces one with the same key that follows from another row.
  let batch = new Map<string, Stored>();
  const flush = async () => {
    await putRows([...batch.values()]);
    batch = new Map();
    await expectKept(caller);
  };
  for await (const line of linesOf(file)) {
    for (const row of importedRows(caller, rowIn(line))) batch.set(nameOfKey(row), row);
    if (batch.size >= MAX_ROWS) await flush();
  }
  await flush();
};

/** Stores the files of the list. */
const writeObjects = async (caller: Caller, folder: string): Promise<void> => {
  for await (const line of linesOf(within(folder, OBJECT_LIST))) {
    const { key, content_type, path } = ListedObject.parse(JSON.parse(line));
    await putStream(caller, key, createReadStream(within(folder, path)), content_type);
    await expectKept(caller);
  }
};

/** Links whose tokens are not stored, so that they lead nowhere after an import. */
const LINKS = ['shareLink', 'signatureLink'] as const;

/** The row of the organization itself, the only one of its file. */
const organizationIn = async (folder: string, path: string): Promise<Stored> => {
  const [line] = await Array.fromAsync(linesOf(within(folder, path)));
  return rowIn(line!);
};

/** How far an import has come, in the row of the organization, which nobody can use and no worker begins with until the end. */
const suspendedFor = (importing: Suspension['importing'] & string): Suspension => ({
  at: new Date().toISOString(),
  delete_after: null,
  importing,
});

/**
 * Writes the organization, suspended until all of it is there.
 * @returns how far a run that was interrupted has come
 * @throws Error when it exists, unless an import of it was interrupted
 */
const begin = async (caller: Caller, exported: Stored): Promise<Suspension['importing']> => {
  const found = await getRow(caller, keys.organization(caller));
  const stage = found?.suspended?.importing;
  if (found && !stage) throw new Error(`The organization ${caller.org_id} exists here already.`);
  if (found && isDeleted(found)) throw new Error('The organization is being deleted: org delete goes on.');
  if (stage === 'ending') return stage;
  const suspended = suspendedFor('writing');
  const rows = importedRows(caller, exported).map((row) =>
    nameOfKey(row) === nameOfKey(keys.organization(caller))
      ? ({ ...row, suspended } satisfies Stored & Pick<StoredOrganization, 'suspended'>)
      : row,
  );
  // Its own row stands since the first run.
  await putRows(found ? rows.filter((row) => nameOfKey(row) !== nameOfKey(found)) : rows);
  return 'writing';
};

/** Notes how far the import has come. @throws Error when somebody has begun to delete the organization */
const advance = async (caller: Caller, suspended: Suspension | null): Promise<void> => {
  const key = keys.organization(caller);
  const row = await getRow(caller, key);
  if (!row || isDeleted(row)) throw new Error(DELETED);
  const unchanged = hasValues({ suspended: row.suspended });
  const { isWritten, row: standing } = await tryWrite(
    caller,
    write.update(key, { set: { suspended } }, unchanged),
  );
  // A write whose answer was lost is sent again.
  if (!isWritten && !isDeepStrictEqual(standing?.suspended, suspended)) throw new Error(DELETED);
};

/** Lets people in. From then on, they may have changed what was written. */
const end = async (caller: Caller): Promise<void> => {
  await advance(caller, suspendedFor('ending'));
  await mark(caller, false);
  await advance(caller, null);
};

/**
 * Does a part of an import. A deletion is over long before an import is, so the import deletes what it has written behind
 * it. One that has its days of grace deletes all of it afterwards.
 */
const unlessDeleted = async <Result>(caller: Caller, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    const row = await getRow(caller, keys.organization(caller));
    if (!row || row.suspended?.deleted) await deleteWrittenLate(caller);
    throw row && !isDeleted(row) ? error : new Error(DELETED, { cause: error });
  }
};

/**
 * Writes an export into this deployment. All ids stay. The organization is suspended until the end, so an import that was
 * interrupted can be begun again. Counters are made anew by `org check`.
 * @returns what was made anew, with the secrets, and what somebody has to make anew
 * @throws Error when the organization exists, or for a folder that no export of it makes; then nothing was written. When
 * somebody deletes the organization meanwhile; then nothing is left
 */
export const importOrganization = async (folder: string) => {
  const { org_id, files } = await readManifest(folder);
  const caller: Caller = { org_id, user_id: 'operator', name: 'operator' };
  const linesIn = new Map(files.map(({ path, rows }) => [path, rows]));
  const own = rowsPath(kindOf(keys.organization(caller))!);
  if (!linesIn.has(own)) throw new Error(`the manifest lacks ${own}. Export again.`);
  await checkFolder(caller, folder, files);
  const exported = await organizationIn(folder, own);
  const stage = await begin(caller, exported);
  const rowFiles = files.filter(({ path }) => path.startsWith('rows/'));
  const kept = await unlessDeleted(caller, async () => {
    if (stage === 'writing') {
      for (const { path } of rowFiles.filter((file) => file.path !== own))
        await writeFileRows(caller, within(folder, path));
      if (linesIn.has(OBJECT_LIST)) await writeObjects(caller, folder);
    }
    const { codes, shared } = await renewCodes(caller);
    const made = {
      webhook_secrets: await renewWebhooks(caller),
      public_links: await renewTokens(caller),
      certificate_codes: codes,
    };
    const missing = {
      connection_credentials: await askForCredentials(caller),
      links: {
        ...Object.fromEntries(LINKS.map((kind) => [kind, linesIn.get(rowsPath(kind)) ?? 0])),
        certificate: shared,
      },
    };
    const api_keys = await renewKeys(caller);
    await checkOrganization(caller, { repair: true });
    const { found, unsettled } = await checkOrganization(caller, { repair: false });
    await end(caller);
    return { api_keys, made, missing, check: { found, unsettled } };
  });
  return {
    org_id,
    rows: rowFiles.reduce((sum, { rows }) => sum + rows, 0),
    objects: linesIn.get(OBJECT_LIST) ?? 0,
    made_anew: { api_keys: kept.api_keys, ...kept.made },
    to_make_anew: kept.missing,
    check: kept.check,
  };
};

import { createReadStream } from 'node:fs';
import type { Caller } from '../../../shared/base/caller.ts';
import { renewCodes } from '../../../shared/db/certificates/certificates.ts';
import { renewTokens } from '../../../shared/db/issues/public-links.ts';
import { renewSecrets as renewKeys } from '../../../shared/db/organization/api-keys.ts';
import { mark } from '../../../shared/db/organization/suspension.ts';
import { putRows } from '../../../shared/db/table/bulk.ts';
import type { StoredOrganization } from '../../../shared/db/table/entities/organization.ts';
import type { Stored } from '../../../shared/db/table/forms.ts';
import { keys, kindOf, nameOfKey } from '../../../shared/db/table/keys.ts';
import { getRow } from '../../../shared/db/table/rows.ts';
import { checkOrganization } from '../../../shared/db/upkeep/consistency/check.ts';
import { importedRows } from '../../../shared/db/upkeep/moving/rows.ts';
import { askForCredentials } from '../../../shared/integrations/connect.ts';
import { putStream } from '../../../shared/storage/streams.ts';
import { renewSecrets as renewWebhooks } from '../../../shared/webhooks/endpoints.ts';
import {
  hashOf,
  linesOf,
  ListedObject,
  type ManifestFile,
  OBJECT_LIST,
  readManifest,
  rowIn,
  rowsPath,
  within,
} from './folder.ts';

/** Rows that are written together. */
const MAX_ROWS = 500;

/** @throws Error for a file that is not what the manifest says */
const checkFiles = async (folder: string, files: readonly ManifestFile[]): Promise<void> => {
  for (const { path, sha256 } of files) {
    const found = await hashOf(within(folder, path)).catch(() => 'missing');
    if (found !== sha256) throw new Error(`${path} is not as it was exported (${found}). Export again.`);
  }
};

/** Writes the rows of a file, with those that follow from them. @returns their number */
const writeFileRows = async (caller: Caller, file: string): Promise<number> => {
  // A row replaces one with the same key that follows from another row.
  let batch = new Map<string, Stored>();
  let count = 0;
  const write = async () => {
    await putRows([...batch.values()]);
    batch = new Map();
  };
  for await (const line of linesOf(file)) {
    for (const row of importedRows(caller, rowIn(line))) batch.set(nameOfKey(row), row);
    count += 1;
    if (batch.size >= MAX_ROWS) await write();
  }
  await write();
  return count;
};

/** @param known the paths that were compared with the manifest. @throws Error for another one */
const writeObjects = async (
  caller: Caller,
  folder: string,
  known: { has: (path: string) => boolean },
): Promise<number> => {
  let count = 0;
  for await (const line of linesOf(within(folder, OBJECT_LIST))) {
    const { key, content_type, path } = ListedObject.parse(JSON.parse(line));
    if (!known.has(path)) throw new Error(`${path} is not in the manifest. Export again.`);
    await putStream(caller, key, createReadStream(within(folder, path)), content_type);
    count += 1;
  }
  return count;
};

/** Links whose tokens are not stored, so that they lead nowhere after an import. */
const LINKS = ['shareLink', 'signatureLink'] as const;

/** The row of the organization itself, of which an export has one. @throws Error where there is none */
const organizationIn = async (folder: string, path: string): Promise<Stored> => {
  for await (const line of linesOf(within(folder, path))) return rowIn(line);
  throw new Error(`${path} is empty. Export again.`);
};

/**
 * Writes the organization, suspended until all of it is there: nobody can use a part of it, and no worker begins with it.
 * @throws Error when it exists, unless an import of it was interrupted
 */
const begin = async (caller: Caller, exported: Stored): Promise<void> => {
  const found = await getRow(caller, keys.organization(caller));
  if (found && !found.suspended?.importing)
    throw new Error(`The organization ${caller.org_id} exists here already.`);
  const suspended = { at: new Date().toISOString(), delete_after: null, importing: true } as const;
  const rows = importedRows(caller, exported).map((row) =>
    nameOfKey(row) === nameOfKey(keys.organization(caller))
      ? ({ ...row, suspended } satisfies Stored & Pick<StoredOrganization, 'suspended'>)
      : row,
  );
  await putRows(rows);
};

/**
 * Writes an export into this deployment. All ids stay. The organization is suspended until the end, so an import that was
 * interrupted can be begun again. Counters are made anew by `org check`.
 * @returns what was made anew, with the secrets, and what somebody has to make anew
 * @throws Error when the organization exists, or the folder is not as it was exported
 */
export const importOrganization = async (folder: string) => {
  const { org_id, files } = await readManifest(folder);
  const caller: Caller = { org_id, user_id: 'operator', name: 'operator' };
  const rowsOf = new Map(files.map(({ path, rows }) => [path, rows]));
  const own = rowsPath(kindOf(keys.organization(caller))!);
  if (!rowsOf.has(own)) throw new Error(`the manifest lacks ${own}. Export again.`);
  await checkFiles(folder, files);
  await begin(caller, await organizationIn(folder, own));
  let rows = 0;
  for (const { path } of files.filter((file) => file.path.startsWith('rows/') && file.path !== own))
    rows += await writeFileRows(caller, within(folder, path));
  const objects = rowsOf.has(OBJECT_LIST) ? await writeObjects(caller, folder, rowsOf) : 0;
  const { codes, shared } = await renewCodes(caller);
  const made = {
    webhook_secrets: await renewWebhooks(caller),
    public_links: await renewTokens(caller),
    certificate_codes: codes,
  };
  const missing = {
    connection_credentials: await askForCredentials(caller),
    links: {
      ...Object.fromEntries(LINKS.map((kind) => [kind, rowsOf.get(rowsPath(kind)) ?? 0])),
      certificate: shared,
    },
  };
  const api_keys = await renewKeys(caller);
  await checkOrganization(caller, { repair: true });
  const { found, unsettled } = await checkOrganization(caller, { repair: false });
  await mark(caller, false);
  rows += await writeFileRows(caller, within(folder, own));
  return {
    org_id,
    rows,
    objects,
    made_anew: { api_keys, ...made },
    to_make_anew: missing,
    check: { found, unsettled },
  };
};

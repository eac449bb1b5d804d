import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Caller } from '../../../shared/base/caller.ts';
import { renewSecrets as renewKeys } from '../../../shared/db/organization/api-keys.ts';
import { putRows } from '../../../shared/db/table/bulk.ts';
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
  Manifest,
  MANIFEST,
  type ManifestFile,
  OBJECT_LIST,
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

const writeObjects = async (caller: Caller, folder: string): Promise<number> => {
  let count = 0;
  for await (const line of linesOf(within(folder, OBJECT_LIST))) {
    const { key, content_type, path } = ListedObject.parse(JSON.parse(line));
    await putStream(caller, key, createReadStream(within(folder, path)), content_type);
    count += 1;
  }
  return count;
};

/** Links whose tokens are not stored, so that they lead nowhere after an import. */
const LINKS = ['publicLink', 'shareLink', 'signatureLink'] as const;

/**
 * Writes an export into this deployment. All ids stay. The organization itself is written last, so an import that was
 * interrupted can be begun again. Counters are made anew by `org check`.
 * @returns what was made anew, with the secrets, and what somebody has to make anew
 * @throws Error when the organization exists, or the folder is not as it was exported
 */
export const importOrganization = async (folder: string) => {
  const { org_id, files } = Manifest.parse(JSON.parse(await readFile(within(folder, MANIFEST), 'utf8')));
  const caller: Caller = { org_id, user_id: 'operator', name: 'operator' };
  const organizationKey = keys.organization(caller);
  if (await getRow(caller, organizationKey))
    throw new Error(`The organization ${org_id} exists here already.`);
  await checkFiles(folder, files);
  const rowsOf = new Map(files.map(({ path, rows }) => [path, rows]));
  const own = rowsPath(kindOf(organizationKey)!);
  let rows = 0;
  for (const { path } of files.filter((file) => file.path.startsWith('rows/') && file.path !== own))
    rows += await writeFileRows(caller, within(folder, path));
  const objects = rowsOf.has(OBJECT_LIST) ? await writeObjects(caller, folder) : 0;
  rows += await writeFileRows(caller, within(folder, own));
  const made = {
    api_keys: await renewKeys(caller),
    webhook_secrets: await renewWebhooks(caller),
  };
  const missing = {
    connection_credentials: await askForCredentials(caller),
    links: Object.fromEntries(LINKS.map((kind) => [kind, rowsOf.get(rowsPath(kind)) ?? 0])),
  };
  await checkOrganization(caller, { repair: true });
  const { found, unsettled } = await checkOrganization(caller, { repair: false });
  return { org_id, rows, objects, made_anew: made, to_make_anew: missing, check: { found, unsettled } };
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../shared/base/caller.ts';
import { canonicalJson, sha256 } from '../../../shared/base/encoding.ts';
import { deleteObject } from '../../../shared/files/objects.ts';
import { allObjects, keepCertificate } from '../../../shared/files/organization-files.ts';
import { suspend } from '../../../shared/organizations/suspension.ts';
import { seal } from '../../../shared/outside/sealing.ts';
import { deleteRows } from '../../../shared/table/bulk.ts';
import type { Deleted, Suspension } from '../../../shared/table/entities/organization.ts';
import { type Key, keys, nameOfKey } from '../../../shared/table/keys.ts';
import { scanPage } from '../../../shared/table/scan.ts';
import { writeRow } from '../../../shared/table/single-write.ts';
import * as write from '../../../shared/table/writes.ts';

/** Days in which a deletion can be taken back. */
export const GRACE_DAYS = 30;

const DAY_MS = 86_400_000;

/**
 * How long what was let in before the suspension may go on writing, in milliseconds: as long as a request can take. The
 * days of grace are longer than all work; a deletion without them waits for the rest of this time.
 */
export const LATE_WRITES = { ms: 30_000, wait: (ms: number): Promise<unknown> => sleep(ms) };

interface DeletionOptions {
  /** Without the days of grace. */
  isNow: boolean;
  /** Rows of the table that are read in a second; those of other organizations count as well. */
  rate: number;
}

/** Rows of one page at most. */
const MAX_PAGE = 1_000;

/**
 * Deletes the rows of an organization that one scan of the table finds, but not its own row, which says that it is
 * suspended. Only a scan finds rows that stand by a hash.
 * @returns the number of rows
 */
const deleteFound = async (
  caller: Caller,
  rate: number,
  note: (rows: number) => Promise<void>,
): Promise<number> => {
  const own = nameOfKey(keys.organization(caller));
  const size = Math.min(rate, MAX_PAGE);
  let total = 0;
  let next: Key | undefined;
  do {
    const started = performance.now();
    const page = await scanPage(next, size, caller.org_id);
    const rows = page.rows.filter((row) => nameOfKey(row) !== own);
    await deleteRows(rows);
    if (rows.length > 0) await note(rows.length);
    total += rows.length;
    next = page.next;
    if (next) await sleep(Math.max(0, (size / rate) * 1_000 - (performance.now() - started)));
  } while (next);
  return total;
};

/** Rows that are read in a second to find what was written late. */
const LATE_RATE = 500;

/** Deletes everything but the organization's own row: what somebody has written behind the end of its deletion. */
export const deleteWrittenLate = async (caller: Caller): Promise<void> => {
  while ((await deleteFound(caller, LATE_RATE, async () => undefined)) > 0);
  for await (const key of allObjects(caller)) await deleteObject(caller, key);
};

/** Deletes everything but the organization's own row, on which the counts are noted as it goes on. */
const deleteContents = async (caller: Caller, suspended: Suspension, rate: number): Promise<Deleted> => {
  const deleted: Deleted = suspended.deleted ?? { since: new Date().toISOString(), rows: 0, objects: 0 };
  const note = async (rows: number, objects: number) => {
    deleted.rows += rows;
    deleted.objects += objects;
    const set = { suspended: { ...suspended, deleted } };
    await writeRow(caller, write.update(keys.organization(caller), { set }));
  };
  const deleteObjects = async () => {
    for await (const key of allObjects(caller)) {
      await deleteObject(caller, key);
      await note(0, 1);
    }
  };
  const deleteAllRows = async () => {
    while ((await deleteFound(caller, rate, (rows) => note(rows, 0))) > 0);
  };
  await deleteObjects();
  // Work that was under way when the organization was suspended may have written behind the scan, and stored files. What
  // it stores after this, it deletes itself.
  await deleteAllRows();
  const late = Date.parse(suspended.at) + LATE_WRITES.ms - Date.now();
  if (late > 0) {
    await LATE_WRITES.wait(late);
    await deleteAllRows();
  }
  await deleteObjects();
  return deleted;
};

/** What was deleted, when and by whom. The deployment's key seals its hash, and so proves who has made it. */
const certify = async (caller: Caller, { since, rows, objects }: Deleted) => {
  const { org_id } = caller;
  const statement = {
    organization: org_id,
    deleted_by: caller.name,
    begun_at: since,
    deleted_at: new Date().toISOString(),
    // Its own row is the last one.
    rows: rows + 1,
    objects,
  };
  const hash = sha256(canonicalJson(statement));
  return { ...statement, sha256: hash, signature: await seal(caller, { deletion: org_id }, hash) };
};

/**
 * Deletes all that belongs to an organization, once the days of grace are over. Before that, the organization is
 * suspended. A run that was interrupted goes on when it is called again; its certificate may lack the rows of one page.
 * @throws Error where `isNow` is meant for a deployment in the cloud
 */
export const deleteOrganization = async (caller: Caller, { isNow, rate }: DeletionOptions) => {
  if (isNow && !process.env['AWS_ENDPOINT_URL_DYNAMODB'])
    throw new Error(
      '--now is for a local service only. Leave it out, and call again after the days of grace.',
    );
  const suspended = (await suspend(caller, GRACE_DAYS * DAY_MS))!;
  if (!isNow && Date.parse(suspended.delete_after!) > Date.now())
    return { org_id: caller.org_id, state: 'suspended', delete_after: suspended.delete_after };
  const deleted = await deleteContents(caller, suspended, rate);
  const certificate = await certify(caller, deleted);
  const kept_at = await keepCertificate(caller.org_id, JSON.stringify(certificate));
  await deleteRows([keys.organization(caller)]);
  return { org_id: caller.org_id, state: 'deleted', certificate, kept_at };
};

import { createHash, randomUUID } from 'node:crypto';
import sharp from 'sharp';
import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as errors from '../../shared/base/errors.ts';
import { documentKey, getObject } from '../../shared/files/objects.ts';
import * as inspections from '../../shared/inspections/deletion.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { reportFile } from '../../shared/reports/files.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { change } from '../../shared/table/change.ts';
import { keys, shards } from '../../shared/table/keys.ts';
import { dropTasks } from '../../shared/table/outbox/outbox.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { countBytes, storageUse } from '../../shared/table/stored-bytes.ts';
import { documentForm, newDocument, newUpload } from '../documents/scenarios.ts';
import { newClient } from '../inspections/fixtures.ts';
import { queuedReport, readReport, renderedReport } from '../reports/fixtures/reports.ts';
import { statusCounts } from '../support/call.ts';
import { first, installFaults, on, withFault } from '../support/faults.ts';
import { deliver, deliverLast, waitingTasks } from '../support/outbox.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();

let person: Person;

beforeEach(async () => {
  person = await newPerson('Counted');
});

const usedBytes = async (): Promise<number> => (await person.organization.get()).storage.used_bytes;

const limitTo = (bytes: number) => organizations.setMaxStorage(operatorOf(person), bytes);

const complete = (upload_id: string) =>
  person.try.documents.completeUpload({ params: { upload_id }, body: { title: 'Plan' } });

const reportFiles = async ({ id }: { id: string }): Promise<(number | undefined)[]> => {
  const files = (['report.pdf', 'payload.json.gz'] as const).map((name) =>
    getObject(person.caller, reportFile(person.caller, id, name)),
  );
  return (await Promise.all(files)).map((file) => file?.length);
};

/** Does what the cleanup worker has been given, once. */
const cleanUp = async (): Promise<void> => {
  const tasks = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup');
  for (const task of tasks) expect(await deliver(deleteRemains.handler, task)).toBe(true);
  await dropTasks(person.caller, tasks);
};

describe('the bytes of an organization', () => {
  test('are those of its documents, and are given back when these are deleted', async () => {
    const small = await newDocument(person);
    expect(await usedBytes()).toBe(small.size_bytes);
    const { upload_id } = await newUpload(person, Buffer.alloc(1_000, 'a'));
    expect(await usedBytes()).toBe(small.size_bytes);
    expect((await complete(upload_id)).status).toBe(201);
    expect((await complete(upload_id)).status).toBe(409);
    expect(await usedBytes()).toBe(small.size_bytes + 1_000);
    const remove = (document_id: string) => person.try.documents.delete({ params: { document_id } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(upload_id)));
    expect(statusCounts(answers)).toEqual({ 204: 1, 404: 4 });
    expect(await usedBytes()).toBe(small.size_bytes);
    await remove(small.id);
    expect(await usedBytes()).toBe(0);
  });

  test('are those of one logo, however often it is replaced', async () => {
    const upload = async (size: number) => {
      const noise = createHash('shake256', { outputLength: size * size * 3 })
        .update('logo')
        .digest();
      const raw = { raw: { width: size, height: size, channels: 3 as const } };
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(await sharp(noise, raw).png().toBuffer())]), 'logo.png');
      await person.organization.uploadLogo({ form });
    };
    const logoBytes = async () => {
      const { logo_key } = await organizations.get(person.caller);
      return (await getObject(person.caller, logo_key!))!.length;
    };
    for (const size of [40, 20, 30]) {
      await upload(size);
      expect(await logoBytes()).toBe(await usedBytes());
    }
    await Promise.all([upload(10), upload(11), upload(12)]);
    expect(await logoBytes()).toBe(await usedBytes());
    await person.organization.deleteLogo();
    expect(await usedBytes()).toBe(0);
    await person.organization.deleteLogo();
    expect(await usedBytes()).toBe(0);
  });

  test('are those of rendered reports, once each', async () => {
    const { report, task } = await renderedReport(person);
    const [pdf, payload] = await reportFiles(report);
    expect(await usedBytes()).toBe(pdf! + payload!);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    expect(await usedBytes()).toBe(pdf! + payload!);
  });

  test('are given back with an inspection’s reports, and a worker deletes their files', async () => {
    const { inspection, report } = await renderedReport(person);
    await inspections.deleteWhole(person.caller, inspection.id);
    expect(await usedBytes()).toBe(0);
    await cleanUp();
    expect(await reportFiles(report)).toEqual([undefined, undefined]);
  });

  test('are given back with a client account’s inspections', async () => {
    const client = await newClient(person);
    const { report } = await renderedReport(person, { client_account_id: client.id });
    expect(await usedBytes()).toBeGreaterThan(0);
    const request = { params: { ca_id: client.id }, query: { cascade: true } };
    await person.clientAccounts.delete(request);
    await cleanUp();
    await cleanUp();
    expect([await usedBytes(), await reportFiles(report)]).toEqual([0, [undefined, undefined]]);
  });

  test('are right when an inspection is deleted in the moment in which its report becomes ready', async () => {
    const { inspection, report, task } = await queuedReport(person);
    const readyFirst = on(
      ({ command, input }) => command === 'TransactWriteItems' && JSON.stringify(input).includes('"Delete"'),
      first(1, async ({ send }) => {
        await withFault(
          ({ send: go }) => go(),
          () => deliver(renderReport.handler, task),
        );
        return send();
      }),
    );
    await withFault(readyFirst, () => inspections.deleteWhole(person.caller, inspection.id));
    expect(await usedBytes()).toBe(0);
    await cleanUp();
    expect(await reportFiles(report)).toEqual([undefined, undefined]);
  });

  test('leave no files of a report whose inspection is deleted while it is stored', async () => {
    const { inspection, report, task } = await queuedReport(person);
    const deletedFirst = on(
      ({ command }) => command === 'PutObject',
      first(1, async ({ send }) => {
        await inspections.deleteWhole(person.caller, inspection.id);
        await cleanUp();
        return send();
      }),
    );
    expect(await withFault(deletedFirst, () => deliver(renderReport.handler, task))).toBe(false);
    expect(await reportFiles(report)).not.toContain(undefined);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    await cleanUp();
    expect([await usedBytes(), await reportFiles(report)]).toEqual([0, [undefined, undefined]]);
  });

  test('leave no files of a report that failed after they were stored', async () => {
    const { report, task } = await queuedReport(person);
    const refused = on(
      ({ command, input }) =>
        command === 'TransactWriteItems' && JSON.stringify(input).includes('report.ready'),
      () => Promise.reject(new Error('refused')),
    );
    expect(await withFault(refused, () => deliverLast(renderReport.handler, task))).toBe(false);
    expect(await readReport(person, report)).toMatchObject({ status: 'failed' });
    await cleanUp();
    expect([await usedBytes(), await reportFiles(report)]).toEqual([0, [undefined, undefined]]);
  });

  test('are counted in shards, so that unrelated changes rarely meet', async () => {
    const files = Array.from({ length: 200 }, () => ({ id: randomUUID(), bytes: 7 }));
    await change(person.caller, (work) => ({ writes: countBytes(work, files), reply: null }));
    const rows = await Array.fromAsync(
      queryRows(person.caller, { partition: keys.storedBytes.partition(person.caller) }),
    );
    expect(rows.map(({ sk }) => Number(sk))).toEqual(shards());
    expect(await usedBytes()).toBe(1_400);
    expect(
      countBytes({ ...person.caller, now: new Date().toISOString() }, [
        files[0]!,
        { ...files[0]!, bytes: -7 },
      ]),
    ).toEqual([]);
  });
});

describe('an organization whose storage is full', () => {
  test('stores a file of exactly the bytes that are left, and 409 for one more', async () => {
    await limitTo(100);
    const post = (length: number) => person.try.documents.create({ form: documentForm('a'.repeat(length)) });
    expect((await post(40)).status).toBe(201);
    const refused = await post(61);
    expect([refused.status, refused.body.detail]).toEqual([409, errors.storageFull(40, 100, 61).detail]);
    expect((await post(60)).status).toBe(201);
    expect(await usedBytes()).toBe(100);
    const documents = await person.documents.list();
    expect(documents).toHaveLength(2);
    await person.documents.delete({ params: { document_id: documents[0].id } });
    expect((await post(40)).status).toBe(201);
  });

  test('409 for an upload that does not fit beside the open ones', async () => {
    await limitTo(100);
    const open = (size_bytes: number) =>
      person.try.documents.createUpload({ body: { file_name: 'a', size_bytes, mime_type: 'text/plain' } });
    expect((await open(60)).status).toBe(201);
    const refused = await open(41);
    expect([refused.status, refused.body.detail]).toEqual([409, errors.storageFull(60, 100, 41).detail]);
    expect((await open(40)).status).toBe(201);
  });

  test('409 for the completion of an upload, which stays open until there is room', async () => {
    const { upload_id } = await newUpload(person, Buffer.alloc(50, 'a'));
    await limitTo(49);
    const refused = await complete(upload_id);
    expect([refused.status, refused.body.detail]).toEqual([409, errors.storageFull(0, 49, 50).detail]);
    expect(await getObject(person.caller, documentKey(person.caller, upload_id))).toBeUndefined();
    await limitTo(50);
    expect((await complete(upload_id)).status).toBe(201);
    expect(await storageUse(person.caller)).toEqual({ used_bytes: 50, max_bytes: 50 });
  });

  test.each([
    ['nothing', 0, 1],
    ['less than the report needs', 1_000, expect.any(Number)],
  ])('has its report fail at once when %s is left, with nothing stored', async (_, left, more) => {
    const { report, task } = await queuedReport(person);
    await limitTo(left);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    const { status, error } = await readReport(person, report);
    expect(status).toBe('failed');
    expect(error).toMatch(
      new RegExp(
        `^The organization uses 0 bytes of storage. The maximum is ${left}, and this needs \\d+ more.`,
      ),
    );
    if (typeof more === 'number') expect(error).toContain(`needs ${more} more`);
    expect([await usedBytes(), await reportFiles(report)]).toEqual([0, [undefined, undefined]]);
    await limitTo(1_000_000);
    const again = await reports.create(person.caller, report.inspection_id, {
      layout_id: null,
      language: null,
    });
    const next = (await waitingTasks(person.caller)).find(({ data }) => data['report_id'] === again.id);
    expect(await deliver(renderReport.handler, next!)).toBe(true);
    expect(await readReport(person, again)).toMatchObject({ status: 'ready' });
  });
});

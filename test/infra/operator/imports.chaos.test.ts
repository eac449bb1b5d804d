import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commands } from '../../../infra/operator/commands.ts';
import { LATE_WRITES } from '../../../infra/operator/organizations/delete.ts';
import { hashOf, lineOf, linesOf, Manifest, rowIn } from '../../../infra/operator/organizations/folder.ts';
import { aliasOf } from '../../../shared/base/tenancy.ts';
import { objectKey } from '../../../shared/files/objects.ts';
import { allObjects } from '../../../shared/files/organization-files.ts';
import type { Stored } from '../../../shared/table/forms.ts';
import { keys, kindOf, nameOfKey } from '../../../shared/table/keys.ts';
import { getRow, queryRows } from '../../../shared/table/rows.ts';
import { scanPage } from '../../../shared/table/scan.ts';
import { writeRow } from '../../../shared/table/single-write.ts';
import * as write from '../../../shared/table/writes.ts';
import { SHAPES } from '../../../shared/upkeep/consistency/forms.ts';
import { RECHECK } from '../../../shared/upkeep/consistency/row-checks.ts';
import { problemsOf } from '../../../shared/upkeep/moving/belonging.ts';
import { CLASSES } from '../../../shared/upkeep/moving/classes.ts';
import { exportedRows } from '../../../shared/upkeep/moving/rows.ts';
import { as } from '../../support/call.ts';
import { type Fault, installFaults, Killed, killAfter, withFault } from '../../support/faults.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { betweenSome } from '../../support/places.ts';
import { scaled } from '../../support/scale.ts';
import { fillWithAll, inDeployment, newDeployment } from './deployments.ts';

installFaults();

// Nothing writes to these organizations after it has ended.
LATE_WRITES.wait = async () => undefined;

// Nothing else writes to these organizations, so a short pause is enough.
RECHECK.pauseMs = 1;

const {
  'org delete': deleting,
  'org export': exporting,
  'org import': importing,
  'org resume': resuming,
} = commands;

let person: Person;
let org: string;
let root: string;
/** A copy of an export of the organization, of which a test may change anything. */
let folder: string;

beforeAll(async () => {
  person = await newPerson('Moving');
  org = person.caller.org_id;
  await fillWithAll(person);
  root = await mkdtemp(join(tmpdir(), 'import-'));
  await exporting.run({ org, to: join(root, 'export') });
});
afterAll(() => rm(root, { recursive: true }));

beforeEach(async () => {
  folder = join(root, randomUUID());
  await cp(join(root, 'export'), folder, { recursive: true });
});

const manifest = async () =>
  Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));

/** All rows of the deployment. */
const allRows = async (): Promise<Stored[]> => {
  const rows: Stored[] = [];
  let next;
  do {
    const page = await scanPage(next, 1_000);
    rows.push(...page.rows);
    next = page.next;
  } while (next);
  return rows;
};

/** Writes a file of the export again, and what the manifest says of it. */
const rewrite = async (path: string, change: (text: string) => string): Promise<void> => {
  const file = join(folder, path);
  const text = change(await readFile(file, 'utf8'));
  await writeFile(file, text);
  const whole = await manifest();
  const said = {
    path,
    rows: path.endsWith('.ndjson') ? text.split('\n').length - 1 : 0,
    size: Buffer.byteLength(text),
    sha256: await hashOf(file),
  };
  const files = [...whole.files.filter((each) => each.path !== path), said];
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...whole, files }));
};

/** Changes a row of an export. */
const withRow = (path: string, change: (row: Stored) => Record<string, unknown>) =>
  rewrite(path, (text) => {
    const [first, ...others] = text.trimEnd().split('\n');
    return `${[lineOf(change(rowIn(first!)) as Stored), ...others].join('\n')}\n`;
  });

/** Dies at the call that notes in the organization that its import has ended. */
const dieAtTheEnd: Fault = ({ command, input, send }) => {
  const { Key, ExpressionAttributeValues = {} } = input as {
    Key?: { sk: string };
    ExpressionAttributeValues?: object;
  };
  const isEnd =
    command === 'UpdateItem' &&
    Key?.sk === keys.organization(person.caller).sk &&
    Object.values(ExpressionAttributeValues).includes(null);
  if (isEnd) throw new Killed();
  return send();
};

describe('an import', () => {
  test.each(scaled([[[3, 400]]], [[[3]], [[40]], [[400]]]))(
    'that was interrupted after %j calls goes on, and nobody uses a part of it',
    async (kills) => {
      const exported = await Array.fromAsync(exportedRows(person.caller), ({ row }) => nameOfKey(row));
      await inDeployment(await newDeployment(), async () => {
        for (const calls of kills) {
          const { fault, isReached } = killAfter(calls, false);
          await expect(withFault(fault, () => importing.run({ from: folder }))).rejects.toMatchObject({
            name: 'Killed',
          });
          expect(isReached()).toBe(true);
          const begun = await getRow(person.caller, keys.organization(person.caller));
          expect(begun?.suspended).toMatchObject({ importing: 'writing' });
        }
        const { check, made_anew } = await importing.run({ from: folder });
        expect(check).toEqual({ found: 0, unsettled: 0 });
        const { key } = made_anew.api_keys.find(({ id }) => id === person.caller.key_id)!;
        expect((await as(key).try.organization.get()).status).toBe(200);
        const brought = new Set((await allRows()).map(nameOfKey));
        expect(exported.filter((name) => !brought.has(name))).toEqual([]);
        await expect(importing.run({ from: folder })).rejects.toThrow('exists here already');
      });
    },
  );

  test('that died when people were let in does not undo what they have changed', async () => {
    await inDeployment(await newDeployment(), async () => {
      await expect(withFault(dieAtTheEnd, () => importing.run({ from: folder }))).rejects.toMatchObject({
        name: 'Killed',
      });
      await expect(resuming.run({ org })).rejects.toThrow('is being imported');
      const [client] = await Array.fromAsync(
        queryRows(person.caller, { partition: keys.all(person.caller, 'CLIENT') }),
      );
      const key = keys.one(person.caller, 'CLIENT', client!.sk);
      await writeRow(person.caller, write.update(key, { set: { name: 'Renamed meanwhile' } }));
      await importing.run({ from: folder });
      expect(await getRow(person.caller, key)).toMatchObject({ name: 'Renamed meanwhile' });
      expect((await getRow(person.caller, keys.organization(person.caller)))?.suspended).toBeNull();
    });
  });

  test('that is broken is removed by org delete', async () => {
    await inDeployment(await newDeployment(), async () => {
      const { fault } = killAfter(200, false);
      await expect(withFault(fault, () => importing.run({ from: folder }))).rejects.toMatchObject({
        name: 'Killed',
      });
      await deleting.run({ org, yes: true, now: true, rate: 100_000 });
      expect(await allRows()).toEqual([]);
    });
  });

  test('that is under way when org delete removes its organization leaves nothing', async () => {
    let [done, deleted] = [0, 0];
    await inDeployment(await newDeployment(), () =>
      betweenSome({
        prepare: async () => undefined,
        work: () =>
          importing.run({ from: folder }).then(
            () => (done += 1),
            (error: unknown) =>
              expect(String(error)).toContain('The organization was deleted while it was imported.'),
          ),
        act: async () => {
          if (!(await getRow(person.caller, keys.organization(person.caller)))) return;
          await deleting.run({ org, yes: true, now: true, rate: 100_000 });
          deleted += 1;
        },
        check: async () => {
          if (await getRow(person.caller, keys.organization(person.caller)))
            await deleting.run({ org, yes: true, now: true, rate: 100_000 });
          expect((await allRows()).map(nameOfKey)).toEqual([]);
          expect(await Array.fromAsync(allObjects(person.caller))).toEqual([]);
        },
      }),
    );
    // Before it has begun, and after its end, nothing keeps it from being done.
    expect(Math.min(done, deleted)).toBeGreaterThan(0);
  });

  test('does not end a deletion that waits for its days of grace', async () => {
    await inDeployment(await newDeployment(), async () => {
      let calls = 0;
      const suspending: Fault = async ({ command, send }) => {
        if (command === 'BatchWriteItem' && (calls += 1) === 5)
          await deleting.run({ org, yes: true, now: false, rate: 100_000 });
        return send();
      };
      await expect(withFault(suspending, () => importing.run({ from: folder }))).rejects.toThrow(
        'was deleted',
      );
      await expect(importing.run({ from: folder })).rejects.toThrow('is being deleted');
      const { suspended } = (await getRow(person.caller, keys.organization(person.caller)))!;
      expect(suspended!.delete_after).not.toBeNull();
    });
  });

  const FOREIGN = randomUUID();
  test.each<[string, RegExp, () => Promise<unknown>]>([
    [
      'a row of another organization',
      /^rows\/CLIENT\.ndjson:1: an export of this organization has no row ORG#/m,
      () => withRow('rows/CLIENT.ndjson', (row) => ({ ...row, pk: `ORG#${FOREIGN}#CLIENT` })),
    ],
    [
      'a row of another kind',
      /^rows\/CLIENT\.ndjson:1: a row of LOCATION is not in this file$/m,
      () => withRow('rows/CLIENT.ndjson', (row) => ({ ...row, pk: `ORG#${org}#LOCATION` })),
    ],
    [
      'a row whose key is not its own',
      /^rows\/CLIENT\.ndjson:1: id is not as the key says$/m,
      () => withRow('rows/CLIENT.ndjson', (row) => ({ ...row, id: FOREIGN })),
    ],
    [
      'an id that is a path',
      /^rows\/DOCUMENT\.ndjson:1: id in the key is no UUID$/m,
      () => withRow('rows/DOCUMENT.ndjson', (row) => ({ ...row, id: '../x', sk: '../x' })),
    ],
    [
      'a task of another organization',
      /^rows\/outbox\.ndjson:1: org_id is another organization$/m,
      () => withRow('rows/outbox.ndjson', (row) => ({ ...row, org_id: FOREIGN })),
    ],
    [
      'a row in the lists of another organization',
      /^rows\/CLIENT\.ndjson:1: by_status is no partition of this organization$/m,
      () =>
        withRow('rows/CLIENT.ndjson', (row) => ({
          ...row,
          by_status: `ORG#${FOREIGN}#INSPECTION#STATUS#scheduled`,
        })),
    ],
    [
      'work that no row of its kind waits for',
      /^rows\/CLIENT\.ndjson:1: by_due is no partition of CLIENT$/m,
      () => withRow('rows/CLIENT.ndjson', (row) => ({ ...row, by_due: 'DUE#OUTBOX#00' })),
    ],
    [
      'a row that this release cannot read',
      /^rows\/CLIENT\.ndjson:1: attributes of CLIENT: name$/m,
      () => withRow('rows/CLIENT.ndjson', (row) => ({ ...row, name: 7 })),
    ],
    [
      'a row whose attribute is something else, of a kind that clients do not see as it is stored',
      /^rows\/audit\.ndjson:1: attributes of audit: at$/m,
      () => withRow('rows/audit.ndjson', (row) => ({ ...row, at: 'yesterday' })),
    ],
    [
      'a file that a browser would run',
      /^objects\.ndjson:1: text\/html is no media type of this service$/m,
      () =>
        rewrite('objects.ndjson', (text) =>
          text.replace(/"content_type":"[^"]*"/, '"content_type":"text/html"'),
        ),
    ],
    [
      'a logo of another organization',
      /^rows\/organization\.ndjson:1: logo_key is no file of this organization$/m,
      () =>
        withRow('rows/organization.ndjson', (row) => ({
          ...row,
          logo_key: objectKey({ org_id: FOREIGN }, 'logo', 'a.png'),
        })),
    ],
    [
      'two rows of the organization',
      /^rows\/organization\.ndjson has not the one row of the organization$/m,
      () => rewrite('rows/organization.ndjson', (text) => text + text),
    ],
    [
      'a line that holds no row',
      /^rows\/CLIENT\.ndjson:\d+: no line of an export$/m,
      () => rewrite('rows/CLIENT.ndjson', (text) => `${text}{}\n`),
    ],
    [
      'a file of another organization',
      new RegExp(
        `^objects\\.ndjson:1: org/${aliasOf({ org_id: FOREIGN })}/.* is no file of this organization$`,
        'm',
      ),
      () =>
        rewrite('objects.ndjson', (text) =>
          text.replaceAll(aliasOf({ org_id: org }), aliasOf({ org_id: FOREIGN })),
        ),
    ],
    [
      'a file that is not in the manifest',
      /^objects\.ndjson:1: other\/.* is not in the manifest$/m,
      () => rewrite('objects.ndjson', (text) => text.replaceAll('"path":"objects/', '"path":"other/')),
    ],
    [
      'a file of rows that is a link',
      /^rows\/CLIENT\.ndjson is no regular file of the folder$/m,
      async () => {
        const [file, outside] = [join(folder, 'rows/CLIENT.ndjson'), `${folder}-outside`];
        await rename(file, outside);
        await symlink(outside, file);
      },
    ],
    [
      'a folder that is a link',
      /^rows\/CLIENT\.ndjson is no regular file of the folder$/m,
      async () => {
        await rename(join(folder, 'rows'), `${folder}-outside`);
        await symlink(`${folder}-outside`, join(folder, 'rows'));
      },
    ],
    [
      'a pipe in place of a file',
      /^rows\/CLIENT\.ndjson is no regular file of the folder$/m,
      async () => {
        await rm(join(folder, 'rows/CLIENT.ndjson'));
        await promisify(execFile)('mkfifo', [join(folder, 'rows/CLIENT.ndjson')]);
      },
    ],
  ])('refuses %s, says where it stands, and writes nothing', async (_, message, prepare) => {
    await prepare();
    await inDeployment(await newDeployment(), async () => {
      await expect(importing.run({ from: folder })).rejects.toThrow(message);
      expect(await allRows()).toEqual([]);
    });
  });

  test('refuses every row in which the id of another organization stands for its own', async () => {
    /** Copies of a value, each with the other id in one place. */
    const replaced = function* (value: unknown): Generator {
      if (value === org) yield FOREIGN;
      if (typeof value === 'string' && value.startsWith(`ORG#${org}`)) yield value.replace(org, FOREIGN);
      if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value) || value instanceof Set)
        return;
      for (const [name, member] of Object.entries(value))
        for (const other of replaced(member))
          yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other };
    };
    const taken: string[] = [];
    const kinds = new Set<string>();
    for (const { path } of (await manifest()).files.filter((file) => file.path.startsWith('rows/')))
      for await (const line of linesOf(join(folder, path))) {
        const row = rowIn(line);
        const kind = kindOf(row)!;
        expect(problemsOf(person.caller, kind, row)).toEqual([]);
        // An entry of the audit log only tells what somebody did.
        if (kind === 'audit') continue;
        for (const other of replaced({ ...row, pk: '' })) {
          kinds.add(kind);
          const problems = problemsOf(person.caller, kind, { ...(other as Stored), pk: row.pk });
          if (problems.length === 0) taken.push(`${kind}: ${JSON.stringify(other)}`);
        }
      }
    expect(taken).toEqual([]);
    expect(kinds.size).toBeGreaterThan(10);
  });

  test('compares every row of each kind with a shape', () => {
    const exported = Object.entries(CLASSES).flatMap(([kind, is]) => (is === 'exported' ? [kind] : []));
    expect(exported.filter((kind) => !(kind in SHAPES))).toEqual([]);
  });

  test('says what is wrong with a folder', async () => {
    await expect(importing.run({ from: join(folder, 'none') })).rejects.toThrow('holds no complete export');
    await writeFile(join(folder, 'manifest.json'), '{');
    await expect(importing.run({ from: folder })).rejects.toThrow('manifest.json is no JSON');
    await writeFile(join(folder, 'manifest.json'), '{"format": 99}');
    await expect(importing.run({ from: folder })).rejects.toThrow('no manifest of this release: format');
    const empty = { format: 1, version: '1.0.0', org_id: org, exported_at: '', files: [] };
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(empty));
    await expect(importing.run({ from: folder })).rejects.toThrow(
      'the manifest lacks rows/organization.ndjson',
    );
  });
});

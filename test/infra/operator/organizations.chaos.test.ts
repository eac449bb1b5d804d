import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import * as getCertificateVerification from '../../../functions/public/get-certificate-verification.ts';
import { handler as generateInspections } from '../../../functions/workers/generate-inspections.ts';
import { handler as sendMail } from '../../../functions/workers/send-mail.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { LATE_WRITES } from '../../../infra/operator/organizations/delete.ts';
import { hashOf, linesOf, Manifest } from '../../../infra/operator/organizations/folder.ts';
import { canonicalJson, sha256 as sha256Of } from '../../../shared/base/encoding.ts';
import { aliasOf } from '../../../shared/base/tenancy.ts';
import { exportKey, objectKey, pendingKey, putObject } from '../../../shared/files/objects.ts';
import { update } from '../../../shared/organizations/people/access.ts';
import { invite } from '../../../shared/organizations/people/invitations.ts';
import { admit } from '../../../shared/organizations/people/memberships.ts';
import { join as joinOrganization } from '../../../shared/organizations/people/own-invitations.ts';
import { begin, type Identity } from '../../../shared/organizations/people/sessions.ts';
import { handOn, sweep } from '../../../shared/outside/hand-on.ts';
import { unseal } from '../../../shared/outside/sealing.ts';
import { change } from '../../../shared/table/change.ts';
import type { Stored } from '../../../shared/table/forms.ts';
import { keys, kindOf, nameOfKey, type RowKind } from '../../../shared/table/keys.ts';
import { deadLetter } from '../../../shared/table/outbox/dead-letters.ts';
import { dropTasks } from '../../../shared/table/outbox/outbox.ts';
import { getRow } from '../../../shared/table/rows.ts';
import { scanPage } from '../../../shared/table/scan.ts';
import { SORTS } from '../../../shared/upkeep/consistency/following.ts';
import { RECHECK } from '../../../shared/upkeep/consistency/row-checks.ts';
import { CLASSES } from '../../../shared/upkeep/moving/classes.ts';
import { visits } from '../../public/scenarios.ts';
import { readsOf } from '../../releases/everything.ts';
import { inspectionsOf, newSchedule } from '../../schedules/fixtures.ts';
import { type Answer, as, call } from '../../support/call.ts';
import { appEntries, operationEntries, pageEntries } from '../../support/catalogue.ts';
import { type Fault, installFaults, killAfter, withFault } from '../../support/faults.ts';
import { mailTasks, newMember, tell } from '../../support/notices.ts';
import { deliver, deliverLast } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { betweenSome } from '../../support/places.ts';
import { scaled } from '../../support/scale.ts';
import { again, anyIdentity, signIn } from '../../support/signed-in.ts';
import { BROWSER, visit } from '../../support/visit.ts';
import { fillWithAll, inDeployment, newDeployment } from './deployments.ts';

installFaults();

// Nothing else writes to these organizations, so a short pause is enough.
RECHECK.pauseMs = 1;
LATE_WRITES.wait = async () => undefined;

/** How many resources each GET is sent for: those of a kind look alike. */
const MAX_READ = scaled(1, Number.POSITIVE_INFINITY);

const {
  'member add': adding,
  'org delete': deleting,
  'org export': exporting,
  'org import': importing,
  'org resume': resuming,
  'org suspend': suspending,
} = commands;

let person: Person;
let org: string;
let folder: string;

/** All rows of an organization; of the whole table when left out. */
const rowsOf = async (organization?: string): Promise<Stored[]> => {
  const rows: Stored[] = [];
  let next;
  do {
    const page = await scanPage(next, 1_000, organization);
    rows.push(...page.rows);
    next = page.next;
  } while (next);
  return rows;
};

const allRows = (): Promise<Stored[]> => rowsOf(org);

const manifest = async (from = folder) =>
  Manifest.parse(JSON.parse(await readFile(join(from, 'manifest.json'), 'utf8')));

/** What differs each time, or what is made anew. */
const DIFFERENT = new Set([
  'generated_at',
  'next_cursor',
  'prefix',
  'previous_secret_until',
  'secret_hint',
  'token',
]);

/** A reply as text, without that, and without the bucket and the signatures of URLs. */
const comparable = (reply: object): string => {
  const kept = (name: string, value: unknown) => (DIFFERENT.has(name) ? undefined : value);
  return canonicalJson(JSON.parse(JSON.stringify(reply, kept)))
    .replaceAll(`/${process.env['BUCKET_NAME']}/`, '/bucket/')
    .replaceAll(/\?X-Amz[^"]*/g, '');
};

/** What every GET of the API answers to a key. Connections answer otherwise until they have a credential again. */
const readAll = async (key: string, rows: readonly Stored[]) => {
  const replies = new Map<string, string>();
  const entries = operationEntries().filter(({ area }) => area !== 'integrations');
  const reads = Map.groupBy(readsOf(entries, rows), ({ entry }) => entry).values();
  for (const { entry, request } of reads.flatMap((some) => some.slice(0, MAX_READ))) {
    const { status, body } = await call(entry, { as: key, ...request });
    replies.set(`${entry.operation.path} ${JSON.stringify(request)}`, comparable({ status, body }));
  }
  return replies;
};

beforeAll(async () => {
  person = await newPerson('Moving');
  org = person.caller.org_id;
  await fillWithAll(person);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Kinds of rows that count others. */
const COUNTED = new Set<RowKind | undefined>(['counter', 'usage', 'storedBytes']);

/** The rows that are brought, by their names. What is counted, `org check` compares: a count of zero may have no row. */
const broughtOf = (rows: readonly Stored[]): Set<string> =>
  new Set(
    rows
      .filter((row) => ['exported', 'derived'].includes(CLASSES[kindOf(row)!]) && !COUNTED.has(kindOf(row)))
      .map(nameOfKey),
  );

describe('org export and org import', () => {
  test('bring every row but secrets and those that end by themselves, so that every GET answers the same', async () => {
    const rows = await allRows();
    await exporting.run({ org, to: folder });
    const before = await readAll(person.key, rows);
    await inDeployment(await newDeployment(), async () => {
      const { check, made_anew, rows: count } = await importing.run({ from: folder });
      expect(check).toEqual({ found: 0, unsettled: 0 });
      expect(count).toBe(
        (await manifest()).files
          .filter(({ path }) => path.startsWith('rows/'))
          .reduce((sum, file) => sum + file.rows, 0),
      );
      expect(broughtOf(await allRows())).toEqual(broughtOf(rows));
      const { key } = made_anew.api_keys.find(({ id }) => id === person.caller.key_id)!;
      const after = await readAll(key, rows);
      expect(after).toEqual(before);
      const { number } = rows.find((row) => kindOf(row) === 'CERTIFICATE') as unknown as { number: string };
      expect((await visit(getCertificateVerification, { token: number })).status).toBe(200);
      expect(made_anew.webhook_secrets).toContainEqual(
        expect.objectContaining({ url: 'https://example.com/hook' }),
      );
      const form = pageEntries().find(({ operation }) => operation.id === 'getIssueForm')!;
      expect(made_anew.public_links.length).toBeGreaterThan(0);
      for (const { path } of made_anew.public_links) {
        const token = path.slice('/r/'.length);
        expect((await visit(form, { headers: BROWSER, token })).status).toBe(200);
      }
      await expect(importing.run({ from: folder })).rejects.toThrow('exists here already');
    });
  });

  test('hold no secret', async () => {
    const rows = await allRows();
    await exporting.run({ org, to: folder });
    const text =
      (await readFile(join(folder, 'rows/WEBHOOK.ndjson'), 'utf8')) +
      (await readFile(join(folder, 'rows/CONNECTION.ndjson'), 'utf8')) +
      (await readFile(join(folder, 'rows/KEY.ndjson'), 'utf8'));
    const secrets = rows.flatMap(({ hash, secret, credential }) =>
      [hash, secret, credential].filter((each) => typeof each === 'string'),
    );
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  test('refuse a folder that was changed', async () => {
    await exporting.run({ org, to: folder });
    await appendFile(join(folder, 'rows/CLIENT.ndjson'), '{}\n');
    await inDeployment(await newDeployment(), async () => {
      await expect(importing.run({ from: folder })).rejects.toThrow(
        'rows/CLIENT.ndjson is not as it was exported',
      );
      expect(await getRow(person.caller, keys.organization(person.caller))).toBeUndefined();
    });
  });
});

describe('org export', () => {
  test('lists every file with its lines and its hash', async () => {
    await exporting.run({ org, to: folder });
    for (const { path, rows, sha256 } of (await manifest()).files) {
      expect(await hashOf(join(folder, path))).toBe(sha256);
      if (path.endsWith('.ndjson'))
        expect(await Array.fromAsync(linesOf(join(folder, path)))).toHaveLength(rows);
    }
    await expect(exporting.run({ org, to: folder })).rejects.toThrow('complete');
  });
});

/** The number of calls that some work takes. */
const calling = async (work: () => Promise<unknown>): Promise<number> => {
  let calls = 0;
  const counting: Fault = ({ send }) => {
    calls += 1;
    return send();
  };
  await withFault(counting, work);
  return calls;
};

describe('an export that was interrupted', () => {
  test.each(scaled([10, 240], [10, 120, 240]))('goes on where it was after %i calls', async (calls) => {
    const { fault, isReached } = killAfter(calls, false);
    await expect(withFault(fault, () => exporting.run({ org, to: folder }))).rejects.toMatchObject({
      name: 'Killed',
    });
    expect(isReached()).toBe(true);
    const again = await calling(() => exporting.run({ org, to: folder }));
    const { files } = await manifest();
    const whole = join(folder, 'whole');
    const all = await calling(() => exporting.run({ org, to: whole }));
    expect(files).toEqual((await manifest(whole)).files);
    // Only the first calls are before the first note of how far it has come.
    if (calls > 10) expect(again).toBeLessThan(all);
  });
});

describe('an export that died while it wrote lines', () => {
  test('cuts off the whole line and the half one behind its last note, and is as one that was not interrupted', async () => {
    const { fault } = killAfter(240, false);
    await expect(withFault(fault, () => exporting.run({ org, to: folder }))).rejects.toMatchObject({
      name: 'Killed',
    });
    const { files } = JSON.parse(await readFile(join(folder, 'progress.json'), 'utf8')) as {
      files: Record<string, object>;
    };
    const [path] = Object.keys(files);
    const [line] = await Array.fromAsync(linesOf(join(folder, path!)));
    await appendFile(join(folder, path!), `${line}\n${line!.slice(0, line!.length / 2)}`);
    await exporting.run({ org, to: folder });
    const whole = join(folder, 'whole');
    await exporting.run({ org, to: whole });
    const names = (await manifest(whole)).files.map((file) => file.path);
    expect((await manifest()).files.map((file) => file.path)).toEqual(names);
    for (const name of names)
      expect((await readFile(join(folder, name))).equals(await readFile(join(whole, name)))).toBe(true);
    await inDeployment(await newDeployment(), async () => {
      const { check } = await importing.run({ from: folder });
      expect(check).toEqual({ found: 0, unsettled: 0 });
    });
  });
});

describe('org suspend and org resume', () => {
  const REFUSED = { status: 403, headers: { 'x-error-code': 'organization_suspended' } };
  let own: Person;
  let of: { org: string };

  beforeEach(async () => {
    own = await newPerson('Closing');
    of = { org: own.caller.org_id };
  });

  test('403 organization_suspended for keys and sessions, until the organization is resumed', async () => {
    const entry = appEntries().find(({ operation }) => operation.id === 'appGetOrganization')!;
    const admin = await signIn(own);
    const answers = async () => [await own.try.organization.get(), await as(admin).call(entry, {})];
    await suspending.run(of);
    expect(await answers()).toMatchObject([REFUSED, REFUSED]);
    await resuming.run(of);
    expect(await answers()).toMatchObject([{ status: 200 }, { status: 200 }]);
  });

  test('keep out a member whom the operator adds meanwhile, whichever comes first', async () => {
    const entry = appEntries().find(({ operation }) => operation.id === 'appGetOrganization')!;
    const answerTo = async (identity: Identity) => {
      const [membership] = await admit(identity, Date.now());
      const { token } = await begin(identity, membership!, Date.now());
      return as({ session: token }).call(entry, {});
    };
    const places = await betweenSome({
      prepare: async () => ({ org: (await newPerson('Closing')).caller.org_id, ben: anyIdentity('Ben') }),
      work: async ({ org: id, ben: { name, email } }) => {
        await adding.run({ org: id, name, email, role: 'admin', 'no-consent': false });
      },
      act: async ({ org: id }) => {
        await suspending.run({ org: id });
      },
      check: async ({ org: id, ben }) => {
        expect(await answerTo(ben)).toMatchObject(REFUSED);
        await resuming.run({ org: id });
        expect(await answerTo(ben)).toMatchObject({ status: 200 });
      },
    });
    expect(places).toBeGreaterThan(1);
  });

  test('let no change of a member that was under way open a suspended organization to the member', async () => {
    const admin = await signIn(own);
    const entry = appEntries().find(({ operation }) => operation.id === 'appGetOrganization')!;
    const places = await betweenSome({
      prepare: async () => {
        await resuming.run(of);
        return signIn(own);
      },
      work: ({ userId }) => update(admin.caller, userId, { position: 'Cook' }),
      act: async () => {
        await suspending.run(of);
      },
      check: async (member) => {
        expect(await as({ session: await again(member) }).call(entry, {})).toMatchObject(REFUSED);
      },
    });
    expect(places).toBeGreaterThan(1);
  });

  test('keep out whom an admin invites meanwhile, when the person joins', async () => {
    const entry = appEntries().find(({ operation }) => operation.id === 'appGetOrganization')!;
    const places = await betweenSome({
      prepare: async () => {
        const closing = await newPerson('Closing');
        return { org: closing.caller.org_id, admin: await signIn(closing), ben: anyIdentity('Ben') };
      },
      work: async ({ admin, ben: { email } }) => {
        await invite(admin.caller, { email, role: 'admin' });
      },
      act: async ({ org: id }) => {
        await suspending.run({ org: id });
      },
      check: async ({ org: id, ben }) => {
        const { token, session } = await begin(ben, null, Date.now());
        await joinOrganization(session, id, false);
        expect(await as({ session: token }).call(entry, {})).toMatchObject(REFUSED);
        await resuming.run({ org: id });
        expect(await as({ session: token }).call(entry, {})).toMatchObject({ status: 200 });
      },
    });
    expect(places).toBeGreaterThan(0);
  });

  test('close a key that a person makes meanwhile, whichever comes first', async () => {
    const create = appEntries().find(({ operation }) => operation.id === 'createApiKey')!;
    const body = { name: 'Field app', access: 'read_write' };
    let answer: Answer;
    const places = await betweenSome({
      prepare: async () => {
        const closing = await newPerson('Closing');
        return { org: closing.caller.org_id, admin: await signIn(closing) };
      },
      work: async ({ admin }) => {
        answer = await as(admin).call(create, { body });
      },
      act: async ({ org: id }) => {
        await suspending.run({ org: id });
      },
      check: async ({ org: id, admin }) => {
        expect([201, 403]).toContain(answer.status);
        const made = async () =>
          answer.status === 201 ? as((answer.body as { key: string }).key).try.organization.get() : REFUSED;
        expect(await made()).toMatchObject(REFUSED);
        await resuming.run({ org: id });
        if (answer.status === 201) expect(await made()).toMatchObject({ status: 200 });
        expect(await as(admin).call(create, { body })).toMatchObject({ status: 201 });
      },
    });
    expect(places).toBeGreaterThan(1);
  });

  test('say on public links that they are closed', async () => {
    const entry = pageEntries().find(({ operation }) => operation.id === 'getIssueForm')!;
    const [scenario] = visits['getIssueForm']!;
    const asked = { headers: BROWSER, ...(await scenario(own)) };
    await suspending.run(of);
    const { status, text } = await visit(entry, asked);
    expect(status).toBe(403);
    expect(text).toContain('This page is closed');
    await resuming.run(of);
    expect((await visit(entry, asked)).status).toBe(200);
  });

  test('leave a schedule that is due to the first run after the suspension', async () => {
    const assignee_ids = [await newMember(own, 'Ana')];
    const schedule = await newSchedule(own, { create_ahead_days: 1, assignee_ids });
    await suspending.run(of);
    await generateInspections();
    await resuming.run(of);
    expect(await inspectionsOf(own, schedule)).toEqual([]);
    await generateInspections();
    expect(await inspectionsOf(own, schedule)).toHaveLength(1);
  });

  test('let tasks wait in the outbox, from the stream, the sweep and a queue', async () => {
    await tell(own, { user_ids: [await newMember(own, 'Ana')] });
    const waiting = await mailTasks(own);
    expect(waiting).toHaveLength(1);
    await suspending.run(of);
    await handOn(waiting);
    await sweep(new Date(Date.now() + 1_000), 10_000);
    expect(await mailTasks(own)).toEqual(waiting);
    await dropTasks(own.caller, waiting);
    expect(await deliver(sendMail, waiting[0]!)).toBe(true);
    expect(await mailTasks(own)).toMatchObject([{ id: waiting[0]!.id, data: waiting[0]!.data }]);
    await resuming.run(of);
    await sweep(new Date(Date.now() + 1_000), 10_000);
    expect(await mailTasks(own)).toEqual([]);
  });
});

describe('org delete', () => {
  const MARKER = `marker ${randomUUID()}`;
  /** The rows of the whole table in which a text stands. */
  const rowsWith = async (text: string): Promise<Stored[]> =>
    (await rowsOf()).filter((row) => JSON.stringify(row).includes(text));

  const objectKeys = async (): Promise<string[]> => {
    const Bucket = process.env['BUCKET_NAME'];
    const { Contents = [] } = await new S3Client({ forcePathStyle: true }).send(
      new ListObjectsV2Command({ Bucket }),
    );
    return Contents.map(({ Key }) => Key!);
  };

  test('suspends for 30 days, in which the organization can be taken back', async () => {
    const { caller, ...own } = await newPerson('Staying');
    const options = { org: caller.org_id, yes: true as const, now: false, rate: 100_000 };
    expect(await deleting.run(options)).toMatchObject({ state: 'suspended' });
    expect((await own.try.organization.get()).status).toBe(403);
    await resuming.run({ org: caller.org_id });
    expect((await own.try.organization.get()).status).toBe(200);
  });

  test('leaves nothing to tasks that a queue still has', async () => {
    const gone = await newPerson('Gone');
    await tell(gone, { user_ids: [await newMember(gone, 'Ana')] });
    const [task] = await mailTasks(gone);
    await deleting.run({ org: gone.caller.org_id, yes: true, now: true, rate: 100_000 });
    expect(await deliverLast(sendMail, task!)).toBe(true);
    expect(await rowsWith(gone.caller.org_id)).toEqual([]);
  });

  test('leaves nothing of a request that was let in before, and writes after everything was deleted', async () => {
    const gone = await newPerson('Gone');
    const { org_id } = gone.caller;
    const [deleted, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { wait } = LATE_WRITES;
    const rows: number[] = [];
    LATE_WRITES.wait = async () => {
      rows.push((await rowsWith(org_id)).length);
      deleted.resolve();
      await written.promise;
      rows.push((await rowsWith(org_id)).length);
    };
    const late: Fault = async ({ command, send }) => {
      if (command === 'TransactWriteItems') await deletion();
      return send();
    };
    let running: Promise<unknown> | undefined;
    const deletion = async () => {
      running ??= withFault(
        ({ send }) => send(),
        () => deleting.run({ org: org_id, yes: true, now: true, rate: 100_000 }),
      );
      await deleted.promise;
    };
    try {
      const { status } = await withFault(late, () =>
        gone.try.clientAccounts.create({ body: { name: 'Late' } }),
      );
      expect(status).toBe(201);
      written.resolve();
      await running;
    } finally {
      LATE_WRITES.wait = wait;
    }
    // The organization's own row is the last one.
    const [before, after] = rows;
    expect(before).toBe(1);
    expect(after).toBeGreaterThan(1);
    expect(await rowsWith(org_id)).toEqual([]);
  });

  test('leaves nothing but a certificate, and other organizations as they are', async () => {
    await inDeployment(await newDeployment(), async () => {
      const [own, other] = [await newPerson(MARKER), await newPerson('Other')];
      const { caller } = own;
      const before = await rowsWith(other.caller.org_id);
      await fillWithAll(own);
      await own.clientAccounts.create({ body: { name: MARKER } });
      await tell(own, { user_ids: [await newMember(own, 'Ana')], note: MARKER });
      const [task] = await mailTasks(own);
      await deliver(sendMail, task!);
      const letter = { id: task!.id, what: 'mail', reason: MARKER, attempts: 6, work: { ...task! } } as const;
      await change(caller, (work) => ({ writes: [deadLetter(work, letter)], reply: undefined }));
      for (const key of [
        objectKey(caller, 'documents', MARKER),
        pendingKey(caller, 'uploads', MARKER),
        exportKey(caller, 'bulk', MARKER),
      ])
        await putObject(caller, key, Buffer.from(MARKER), 'text/plain');
      const objects = (await objectKeys()).length;
      expect(objects).toBeGreaterThan(3);
      const options = { org: caller.org_id, yes: true as const, now: true, rate: 100_000 };
      const { certificate, kept_at } = await deleting.run(options);
      expect(certificate).toMatchObject({ deleted_by: 'operator', objects });
      for (const trace of [MARKER, caller.org_id, aliasOf(caller)]) expect(await rowsWith(trace)).toEqual([]);
      expect(await rowsWith(other.caller.org_id)).toEqual(before);
      const { sha256, signature } = certificate!;
      expect(await unseal(caller, { deletion: caller.org_id }, signature)).toBe(sha256);
      const { sha256: _sha256, signature: _signature, ...statement } = certificate!;
      expect(sha256Of(canonicalJson(statement))).toBe(sha256);
      expect(await objectKeys()).toEqual([kept_at]);
    });
  });
});

describe('classes of rows', () => {
  test('call derived what follows from a resource and has no life of its own', () => {
    const names = new Map(Object.entries(keys).map(([name, row]) => [row as unknown, name as RowKind]));
    const classes = SORTS.flatMap(({ facts }) => facts.followers ?? []).map(({ row, own, mayBeGone }) => ({
      kind: names.get(row),
      class: CLASSES[names.get(row)!],
      is: own || mayBeGone ? 'exported' : 'derived',
    }));
    expect(classes.filter((each) => each.class !== each.is)).toEqual([]);
  });

  test('call exported nothing that belongs to no organization', () => {
    const system = (Object.keys(CLASSES) as RowKind[]).filter((kind) => {
      const entry = (keys as unknown as Record<string, { template: { pk: string } } | undefined>)[kind];
      return CLASSES[kind] === 'exported' && entry && !entry.template.pk.startsWith('ORG#');
    });
    expect(system).toEqual([]);
  });
});

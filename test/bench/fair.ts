import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCatalogue } from '../../infra/catalogue.ts';
import { startEngines } from '../../infra/local/engines.ts';
import { closeServer, newGateway } from '../../infra/local/gateway.ts';
import { startThreads } from '../../infra/local/threads.ts';
import { startWorkers } from '../../infra/local/workers.ts';
import { answer } from '../../shared/organizations/addresses/addresses.ts';
import { createWebhook } from '../../shared/webhooks/endpoints.ts';
import { documentForm } from '../documents/scenarios.ts';
import { answer as answerField, newClient, newInspection } from '../inspections/fixtures.ts';
import { newSource } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { noisyPhoto } from '../reports/fixtures/pictures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newReceiver } from '../webhooks/fixtures.ts';
import { median, print, RATIO, ratio, rounded } from './table.ts';

/** How much longer an organization waits while another one floods the same workers. */
const GOAL = 3;

/** How often the quiet organization is measured, alone and beside the flood; once at a scale below `SHORT`. */
const ROUNDS = 3;
const SHORT = 0.01;

/** How often both do a little first, because threads compile their code, and what the loud one then asks for. */
const WARM_UPS = 2;
const WARM_COUNT = 1;

/** How long an endpoint of the flood takes to answer, in milliseconds, and a page of its vendor. */
const SLOW_MS = 900;

/** How often a state is looked at, in milliseconds, and as a part of the time that has passed. */
const LOOK_MS = 10;
const LOOK_PART = 0.05;

/** Waits for a state. The longer it takes, the less often it looks, because a key has only so many requests a minute. */
const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
  const start = performance.now();
  while (!(await isSo())) await sleep(Math.max(LOOK_MS, (performance.now() - start) * LOOK_PART));
};

/** What two organizations do at the same time. */
interface Race {
  what: string;
  /** What the quiet one does, from its request to its result. */
  quiet: () => Promise<unknown>;
  /** So many requests of the loud one. It does not wait for what they ask for. */
  flood: (count: number) => Promise<unknown>;
  /** How many they are at scale 1. */
  most: number;
  end?: () => void;
}

/** What the races run on. */
interface Service {
  url: string;
  /** So many at scale 1, and a few at least. */
  scaled: (count: number) => number;
  nudge: () => void;
}

const times = <Result>(count: number, make: (position: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, position) => make(position)));

const PHOTOS_FIELD = 2;

/** A family whose inspections have as many fields, and one for photos. */
const familyOf = (person: Person, fields: number): Promise<{ id: string }> =>
  publishedFamily(person.key, {
    content: contentWith(
      field(PHOTOS_FIELD, 'photo'),
      ...Array.from({ length: fields }, (_, n) => field(PHOTOS_FIELD + 1 + n)),
    ),
  });

const inspectionsOf = async (person: Person, count: number, fields: number): Promise<string[]> => {
  const { id: template_family_id } = await familyOf(person, fields);
  const inspections = await times(count, () => newInspection(person, { template_family_id }));
  return inspections.map(({ id }) => id);
};

/** Fields of the inspections of the quiet organization, and of the loud one at scale 1. */
const LIGHT = 3;
const HEAVY = 1_000;

/** Photos of the inspections of the loud organization at scale 1, as telephones take them: twelve megapixels. */
const PHOTOS = 20;
const PIXELS = [4_032, 3_024] as const;

/** Answers the field for photos. */
const photograph = async (person: Person, id: string, count: number): Promise<void> => {
  const photo = await noisyPhoto(...PIXELS);
  const photos = await times(count, async (n) => {
    // A byte after the end of a JPEG makes each one a picture of its own.
    const form = documentForm(Buffer.concat([photo, Buffer.from([n])]), { title: `Photo ${n}` }, `${n}.jpg`);
    const { id: document_id } = await person.documents.create({ form });
    return { document_id };
  });
  await answerField(person, { id }, uuid(PHOTOS_FIELD), photos);
};

const requestReport = async (person: Person, inspection_id: string): Promise<string> =>
  (await person.reports.create({ params: { inspection_id }, body: {} })).id;

const isReady = async (person: Person, report_id: string): Promise<boolean> =>
  (await person.reports.get({ params: { report_id } })).status === 'ready';

const readyReport = async (service: Service, person: Person, inspection: string): Promise<string> => {
  const id = await requestReport(person, inspection);
  service.nudge();
  await until(() => isReady(person, id));
  return id;
};

const readyReports = async (
  service: Service,
  person: Person,
  count: number,
  fields: number,
): Promise<string[]> => {
  const [inspection] = await inspectionsOf(person, 1, fields);
  return times(count, () => readyReport(service, person, inspection!));
};

/** Both organizations of a race. */
const peopleOf = (what: string): Promise<[quiet: Person, loud: Person]> =>
  Promise.all([newPerson(`Quiet, ${what}`), newPerson(`Loud, ${what}`)]);

const webhooks = async ({ scaled, nudge }: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('webhooks');
  const [fast, slow] = await Promise.all([newReceiver(), newReceiver()]);
  slow.behave((_, response) => void setTimeout(() => response.writeHead(204).end(), SLOW_MS));
  const endpoint = ({ caller }: Person, url: string) =>
    createWebhook(caller, { url, description: '', types: ['*'] });
  await endpoint(quiet, fast.url);
  await times(scaled(40), () => endpoint(loud, slow.url));
  return {
    what: 'webhooks',
    quiet: async () => {
      const before = fast.received.length;
      await newClient(quiet);
      nudge();
      await until(() => fast.received.length > before);
    },
    flood: (count) => times(count, () => newClient(loud)),
    most: 20,
    end: () => {
      fast.close();
      slow.close();
    },
  };
};

const reports = async (service: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('reports');
  const [light] = await inspectionsOf(quiet, 1, LIGHT);
  const [heavy] = await inspectionsOf(loud, 1, service.scaled(HEAVY));
  await photograph(loud, heavy!, service.scaled(PHOTOS));
  return {
    what: 'reports',
    quiet: () => readyReport(service, quiet, light!),
    flood: (count) => times(count, () => requestReport(loud, heavy!)),
    most: 25,
  };
};

const FORMATS = ['docx', 'html', 'zip'];

/** Exports that an organization can request: each report in each format. */
const exportsOf = async (
  service: Service,
  person: Person,
  reports: number,
  fields: number,
): Promise<{ report_id: string; format: string }[]> => {
  const ids = await readyReports(service, person, reports, fields);
  return ids.flatMap((report_id) => FORMATS.map((format) => ({ report_id, format })));
};

const exports = async (service: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('exports');
  const most = 30;
  const heavyReports = Math.ceil((WARM_UPS * WARM_COUNT + service.scaled(most)) / FORMATS.length);
  const [light, heavy] = await Promise.all([
    // Alone and beside the flood it exports the same formats.
    exportsOf(service, quiet, 3, LIGHT),
    exportsOf(service, loud, heavyReports, service.scaled(HEAVY)),
  ]);
  const request = (person: Person, { report_id, format }: { report_id: string; format: string }) =>
    person.reports.createExport({ params: { report_id }, body: { format } });
  return {
    what: 'exports',
    quiet: async () => {
      const wanted = light.pop()!;
      const { id } = await request(quiet, wanted);
      service.nudge();
      const params = { report_id: wanted.report_id, export_id: id };
      await until(async () => (await quiet.reports.getExport({ params })).status === 'ready');
    },
    flood: (count) => times(count, () => request(loud, heavy.pop()!)),
    most,
  };
};

const bulkExports = async (service: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('bulk exports');
  const light = await inspectionsOf(quiet, 1, LIGHT);
  const heavy = await inspectionsOf(loud, service.scaled(20), service.scaled(HEAVY));
  const request = (person: Person, inspection_ids: string[]) =>
    person.reports.createBulkExport({ body: { inspection_ids, bundle: 'zip', format: 'docx' } });
  return {
    what: 'bulk exports',
    quiet: async () => {
      const { id } = await request(quiet, light);
      service.nudge();
      const params = { export_id: id };
      await until(async () => (await quiet.reports.getBulkExport({ params })).status === 'ready');
    },
    flood: (count) => times(Math.min(count, 5), () => request(loud, heavy)),
    most: 5,
  };
};

const mails = async (service: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('mails');
  const [light] = await readyReports(service, quiet, 1, LIGHT);
  const [heavy] = await readyReports(service, loud, 1, service.scaled(HEAVY));
  const to = 'someone@example.com';
  for (const { caller } of [quiet, loud]) await answer(caller, to, 'confirmed');
  const request = (person: Person, report_id: string) =>
    person.reports.createEmail({ params: { report_id }, body: { to: [to], format: 'docx' } });
  return {
    what: 'mails',
    quiet: async () => {
      const { id } = await request(quiet, light!);
      service.nudge();
      const params = { report_id: light! };
      await until(async () =>
        (await quiet.reports.listEmails({ params })).some(
          (mail: { id: string; status: string }) => mail.id === id && mail.status !== 'queued',
        ),
      );
    },
    flood: (count) => times(count, () => request(loud, heavy!)),
    most: 80,
  };
};

const syncs = async (service: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('syncs');
  const vendor = useMemoryVendor();
  const board = (id: string, count: number) =>
    vendor.put(
      id,
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`i${n}`, { name: `Site ${n}`, kind: 'Yard', where: null }]),
      ),
    );
  board('light', 1);
  board('b', service.scaled(500));
  const light = await newSource(quiet, { board_id: 'light' });
  const heavy = await times(service.scaled(18), (n) => newSource(loud, { name: `Sites ${n}` }));
  const start = (person: Person, source_id: string) =>
    person.integrations.startSync({ params: { source_id }, body: {} });
  return {
    what: 'syncs',
    quiet: async () => {
      const { id } = await start(quiet, light.id);
      service.nudge();
      const params = { source_id: light.id };
      await until(async () =>
        (await quiet.integrations.listSyncRuns({ params })).some(
          (run: { id: string; status: string }) => run.id === id && run.status === 'succeeded',
        ),
      );
    },
    flood: (count) => times(Math.min(count, heavy.length), (n) => start(loud, heavy[n]!.id)),
    most: 18,
  };
};

const imports = async ({ url, scaled }: Service): Promise<Race> => {
  const [quiet, loud] = await peopleOf('imports');
  const send = async ({ key }: Person, questions: number): Promise<void> => {
    const survey = Array.from({ length: questions }, (_, n) => ({
      type: 'text',
      name: `q${n}`,
      label: `Q ${n}`,
    }));
    const response = await fetch(`${url}/v1/templates/import?dry_run=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Form', survey }),
    });
    await response.arrayBuffer();
  };
  return {
    what: 'imports of forms',
    quiet: () => send(quiet, 5),
    flood: (count) => times(count, () => send(loud, scaled(400))),
    most: 40,
  };
};

const RACES = [webhooks, reports, exports, bulkExports, mails, syncs, imports];

/** Milliseconds that something takes, each time. */
const timesOf = async (work: () => Promise<unknown>, rounds: number): Promise<number[]> => {
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    all.push(performance.now() - start);
  }
  return all;
};

/** @param scale how many of each kind the loud organization asks for, in relation to a real flood */
export const measure = async (scale: number): Promise<void> => {
  process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
  const engines = await startEngines({ dataDir: null });
  const threads = startThreads();
  const { operations, workers: entries } = await loadCatalogue();
  // Those on the clock have nothing to do.
  const workers = startWorkers(
    entries.filter(({ worker }) => !('every' in worker.source)),
    { threads },
  );
  const gateway = newGateway({ operations, threads, onChange: () => workers.nudge() }).listen(0, '127.0.0.1');
  try {
    await once(gateway, 'listening');
    const service: Service = {
      url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
      scaled: (count) => Math.max(4, Math.round(count * scale)),
      nudge: () => workers.nudge(),
    };
    const rounds = scale < SHORT ? 1 : ROUNDS;
    const lines = [];
    for (const prepare of RACES) {
      const { what, quiet, flood, most, end } = await prepare(service);
      for (let n = 0; n < WARM_UPS; n += 1) {
        await Promise.all([flood(WARM_COUNT), quiet()]);
        await workers.idle();
      }
      const alone = median(await timesOf(quiet, rounds));
      // An import is done when its request is answered; for everything else only the workers are flooded.
      const flooding = flood(service.scaled(most));
      if (prepare !== imports) await flooding;
      service.nudge();
      const beside = await timesOf(quiet, rounds);
      await flooding;
      lines.push([what, rounded(alone), rounded(median(beside)), ...ratio(median(beside), alone, GOAL)]);
      await workers.idle();
      end?.();
    }
    print(
      'fair: what an organization waits while another one floods the same workers',
      ['what', 'ms alone', 'ms beside', ...RATIO],
      lines,
      'From the request to the result. Medians.',
    );
  } finally {
    await workers.stop();
    await closeServer(gateway, 1_000);
    await threads.stop();
    await engines.stop();
  }
};

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../catalogue.ts';
import { type Form, newForm } from './form-3a.ts';
import { drawLogo, drawSignature, takePhoto } from './photos.ts';

const { PORT = '3000', API_URL = `http://127.0.0.1:${PORT}`, DATA_DIR = '.data' } = process.env;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What a person should read, rather than a stack. */
class DemoError extends Error {}

const operator = async (...args: string[]): Promise<Record<string, string>> => {
  const { stdout } = await promisify(execFile)('node', [
    join(ROOT, 'infra/operator/cli.ts'),
    ...args,
    '--json',
  ]);
  return JSON.parse(stdout) as Record<string, string>;
};

/** The key in API_KEY, or a new organization's, as the platform team would make it. */
const obtainKey = async (): Promise<string> => {
  const { API_KEY } = process.env;
  if (API_KEY) return API_KEY;
  const { org_id } = await operator(
    'org',
    'create',
    '--name',
    'Harbour City Environmental Health',
    '--admin-email',
    'health@example.com',
  );
  const { key } = await operator(
    'key',
    'create',
    '--org',
    org_id!,
    '--name',
    'Inspection app',
    '--access',
    'read_write',
    '--expires',
    '30d',
  );
  return key!;
};

/** An integration's client: JSON over HTTP, a POST made safe to repeat, every refusal told in its own words. */
const newClient = (key: string) => {
  const send = async <Reply>(method: string, path: string, body?: unknown): Promise<Reply> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${API_URL}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && { 'Idempotency-Key': randomUUID() }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new DemoError(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Reply;
  };
  return {
    get: <Reply>(path: string) => send<Reply>('GET', path),
    post: <Reply>(path: string, body?: unknown) => send<Reply>('POST', path, body),
    put: <Reply>(path: string, body: unknown) => send<Reply>('PUT', path, body),
    patch: <Reply>(path: string, body: unknown) => send<Reply>('PATCH', path, body),
  };
};
type Client = ReturnType<typeof newClient>;

interface Resource {
  id: string;
}

const upload = async (
  api: Client,
  name: string,
  type: string,
  bytes: Buffer,
  title: string,
): Promise<string> => {
  const form = new FormData();
  form.set('title', title);
  form.set('file', new File([new Uint8Array(bytes)], name, { type }));
  return (await api.post<Resource>('/documents', form)).id;
};

/** What the inspector found: the form's items by number; all others are in compliance. */
const VIOLATIONS: Record<number, { note: string; captions: string[] }> = {
  8: {
    note: 'Line cook handled raw chicken and then ready-to-eat salad without washing hands. Corrected on site: hands washed, salad discarded.',
    captions: ['Preparation line at 11:40', 'Salad station'],
  },
  15: {
    note: 'Raw shell eggs stored above sliced tomatoes in the reach-in cooler.',
    captions: ['Reach-in cooler, second shelf'],
  },
  22: {
    note: 'Cut melon at 9.4 °C and cooked rice at 11.2 °C in the preparation cooler (limit 5 °C). Food discarded, cooler taken out of service.',
    captions: ['Preparation cooler', 'Cooler thermostat', 'Discarded food'],
  },
  28: {
    note: 'Unlabelled spray bottle with degreaser beside the bread oven.',
    captions: ['Shelf by the oven'],
  },
  38: {
    note: 'Droppings below the dry-storage rack; pest control contract lapsed in May.',
    captions: ['Dry storage'],
  },
  55: { note: 'Missing floor tiles by the dish machine; standing water.', captions: ['Dish area'] },
};
const NOT_OBSERVED = new Set([19, 20, 35]);
const NOT_APPLICABLE = new Set([14, 26, 29, 30, 32]);

const TEMPERATURES: [string, number][] = [
  ['Walk-in cooler, raw chicken', 3.2],
  ['Preparation cooler, cut melon', 9.4],
  ['Preparation cooler, cooked rice', 11.2],
  ['Steam table, tomato soup', 67.5],
  ['Freezer, ice cream', -18.4],
];

const answer = async (
  api: Client,
  inspectionId: string,
  { items, temperatures, closing }: Form,
): Promise<void> => {
  const save = (section_id: string, field_id: string, value: unknown, more: object = {}) =>
    api.put(`/inspections/${inspectionId}/responses`, { section_id, field_id, value, ...more });

  let photo = 0;
  for (const { number, section_id, field_id } of items) {
    const violation = VIOLATIONS[number];
    const media = [];
    for (const caption of violation?.captions ?? []) {
      photo += 1;
      const bytes = await takePhoto(photo);
      const document_id = await upload(api, `IMG_${1000 + photo}.jpg`, 'image/jpeg', bytes, caption);
      media.push({ document_id, caption });
      say(`  item ${number}: photo of 12 megapixels, ${(bytes.length / 1e6).toFixed(1)} MB: ${caption}`);
    }
    const value = violation
      ? 'out'
      : NOT_OBSERVED.has(number)
        ? 'no'
        : NOT_APPLICABLE.has(number)
          ? 'na'
          : 'in';
    await save(section_id, field_id, value, { note: violation?.note ?? '', ...(violation && { media }) });
  }
  for (const [instance_index, [item, celsius]] of TEMPERATURES.entries()) {
    await save(temperatures.section_id, temperatures.item_id, item, { instance_index });
    await save(temperatures.section_id, temperatures.temperature_id, celsius, { instance_index });
  }
  await save(
    closing.section_id,
    closing.remarks_id,
    'Ο διευθυντής ενημερώθηκε. Персонал пройшов інструктаж. Świadek: Łukasz Żółć. Müdür: Çağrı Öztürk.\nRe-inspection within ten days; the preparation cooler stays out of service until then.',
  );
  const signed_at = new Date().toISOString();
  for (const [field_id, signed_name, seed] of [
    [closing.person_in_charge_id, 'Maria Papadopoulou', 3],
    [closing.inspector_id, 'Łukasz Żółć', 8],
  ] as const) {
    const document_id = await upload(
      api,
      `signature-${seed}.png`,
      'image/png',
      await drawSignature(seed),
      `Signature of ${signed_name}`,
    );
    await save(closing.section_id, field_id, { document_id, signed_name, signed_at });
  }
};

interface Status {
  status: string;
  error?: string | null;
  page_count?: number | null;
  url?: string | null;
}

/** Asks until work that runs on has ended, for two minutes at most. */
const settled = async (api: Client, path: string): Promise<Status> => {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(300)) {
    const state = await api.get<Status>(path);
    if (state.status === 'ready') return state;
    if (state.status === 'failed')
      throw new DemoError(`${path} failed: ${state.error ?? 'without a reason'}`);
  }
  throw new DemoError(`${path} was not ready within two minutes`);
};

const run = async (): Promise<void> => {
  const reachable = await fetch(`${API_URL}/openapi.json`).catch(() => undefined);
  if (!reachable?.ok) {
    throw new DemoError(
      `nothing answers at ${API_URL}: run npm start in another terminal, or set PORT or API_URL`,
    );
  }
  const api = newClient(await obtainKey());

  const logo = new FormData();
  logo.set('file', new File([new Uint8Array(await drawLogo())], 'logo.png', { type: 'image/png' }));
  await api.post('/org/logo', logo);
  const org = await api.patch<{ name: string }>('/org', {
    timezone: 'Europe/Athens',
    locale: 'en-GB',
    date_format: 'dd/MM/yyyy',
  });
  say(`organization    ${org.name}, with its logo`);

  const form = newForm();
  const family = await api.post<{ id: string; draft_version_id: string }>('/templates/families', {
    name: 'Food Establishment Inspection Report',
    description: 'FDA Food Code 2022, Annex 7, Form 3-A',
    content: form.content,
  });
  const version = await api.post<{ version_number: number }>(`/templates/${family.draft_version_id}/publish`);
  say(`template        ${form.items.length} items, published as version ${version.version_number}`);

  const client = await api.post<Resource>('/client-accounts', {
    name: 'Ταβέρνα «Το Λιμάνι»',
    contact: { name: 'Maria Papadopoulou', email: 'maria@example.com' },
  });
  const location = await api.post<Resource>('/locations', {
    name: 'Harbour kitchen',
    client_account_id: client.id,
    timezone: 'Europe/Athens',
    address: 'Ακτή Μιαούλη 12\n185 38 Πειραιάς',
  });
  const inspection = await api.post<Resource & { number: number }>('/inspections', {
    template_family_id: family.id,
    client_account_id: client.id,
    location_id: location.id,
    name: 'Routine food safety inspection',
    start_answers: {
      permit_number: 'GR-2026-0417',
      purpose: 'Routine',
      establishment_type: 'Restaurant',
      risk_category: 3,
    },
  });
  say(`inspection      number ${inspection.number}`);
  await api.post(`/inspections/${inspection.id}/start`);
  await answer(api, inspection.id, form);
  const done = await api.post<{ status: string; findings_count: number }>(
    `/inspections/${inspection.id}/advance`,
  );
  say(`inspection      ${done.status}, ${done.findings_count} findings`);

  const report = await api.post<Resource>(`/inspections/${inspection.id}/reports`, {});
  const { page_count } = await settled(api, `/reports/${report.id}`);
  const exported = await api.post<Resource>(`/reports/${report.id}/exports`, { format: 'pdf' });
  const { url } = await settled(api, `/reports/${report.id}/exports/${exported.id}`);
  const response = await fetch(url!);
  if (!response.ok) throw new DemoError(`the PDF's URL answered ${response.status}`);
  const pdf = Buffer.from(await response.arrayBuffer());
  const file = resolve(DATA_DIR, 'demo', `inspection-${inspection.number}.pdf`);
  await mkdir(resolve(file, '..'), { recursive: true });
  await writeFile(file, pdf);
  say(`report          ${page_count} pages, ${(pdf.length / 1e6).toFixed(1)} MB\n\n${file}`);
};

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof DemoError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}

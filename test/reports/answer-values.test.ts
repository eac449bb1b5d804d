import { parse } from 'csv-parse/sync';
import ExcelJs from 'exceljs';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { FieldType } from '../../shared/schemas/templates/content.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { newDocument, recordsOf, saved } from '../answers/fixtures.ts';
import { newClient, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { field, section, uuid } from '../support/content.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

/** Labels, texts and names that are hard to join, to quote, or to show safely. */
const HOSTILE = [
  'Dirty; wet',
  'Say "no", twice',
  'two\nlines',
  '=1+1',
  '-2 °C',
  "'quoted'",
  '["a"]',
  'null',
  '🧯 فحص',
  'שלום; עולם',
  '+1',
  '@SUM(A1)',
];

/** Codes are any text; most look like these, but nothing makes them. */
const CODES = ['a', 'b', '=1+1', '-1', "'c", '["d"]', 'e;f', '7', 'true', '١', '+g', '@h'];

const OPTIONS = HOSTILE.map((label, n) => ({ value: CODES[n], label }));

/** Formulas, and their results in a CSV. The type of the field does not say whether they are texts. */
const RESULTS = [
  ['string(5)', "'5"],
  ['2 + 3', '5'],
  ["'-5'", "'-5"],
  ["'-5 °C'", "'-5 °C"],
  ["'1e3'", "'1e3"],
  ['true()', 'true'],
  ["'true'", "'true"],
  ["'5 kg'", '5 kg'],
] as const;

const ROOM = uuid(900);
const SEVERAL = uuid(901);

interface Asked {
  id: string;
  type: string;
  value: unknown;
  more?: object | undefined;
  note?: string;
  is_na?: boolean;
}

let person: Person;
let inspection: Inspection;
let answers: AnswerRecord[];
let removed: string;

/** A row of another system that an answer can name. */
const syncedItem = async (source_id: string, external_id: string): Promise<void> => {
  const item = { external_id, item_id: external_id, resource_id: uuid(98), hash: '', is_active: true };
  const run = { run_id: uuid(97), outcome: 'created', updated_at: '2026-03-14T09:00:00.000Z' } as const;
  const row = { ...item, target_ref: 'locations' as const, ...run };
  await change(person.caller, () => ({
    writes: [write.put({ ...keys.syncedItem(person.caller, source_id, external_id), ...row })],
    reply: undefined,
  }));
};

/** An answer of each type, and the values of it that are hard to write. */
const values = async (): Promise<[type: string, value: unknown, more?: object][]> => {
  const [photo, drawn] = [await newDocument(person), await newDocument(person)];
  const [filmed, heard] = [await newDocument(person, 'video/mp4'), await newDocument(person, 'audio/mpeg')];
  const shown = (...ids: string[]) => ids.map((document_id, n) => ({ document_id, caption: HOSTILE[n + 2] }));
  await syncedItem(uuid(99), '=7');
  return [
    ...HOSTILE.map((text): [string, string] => ['text', text]),
    ['text', '\t=1+1\r\nnext\u2028line'],
    ['text', '-5'],
    ['long_text', `=${'x'.repeat(19_998)};`],
    ['barcode', '0040063'],
    ['number', -0.1, { unit: '=m' }],
    ['number', 1234567.123456789],
    ['slider', 100],
    ['rating', 5],
    ['temperature', -19.5, { unit: '°C' }],
    ['yes_no', false],
    ['checkbox', true],
    ['yes_no_na', 'no'],
    ['pass_fail_na', 'na'],
    ...CODES.map((code): [string, string, object] => ['single_select', code, { options: OPTIONS }]),
    ['multi_select', CODES, { options: OPTIONS }],
    ['multi_select', ['-1'], { options: OPTIONS }],
    ['date', '2024-02-29'],
    ['time', '23:59:59'],
    ['datetime', '2024-02-29T10:00:00.5+02:00'],
    ['photo', shown(photo, drawn)],
    ['video', shown(filmed)],
    ['audio', shown(heard)],
    ['file', shown(photo)],
    ['drawing', shown(drawn)],
    [
      'signature',
      { document_id: drawn, typed: null, signed_name: '=Ada', signed_at: '2024-02-29T10:00:00+02:00' },
    ],
    ['signature', { document_id: null, typed: '"A"; L', signed_name: 'Ada', signed_at: null }],
    ['geo_point', { lat: -33.856784, lng: 151.215297, accuracy_m: 4.5 }],
    ['geo_point', { lat: -33, lng: -8, accuracy_m: null }],
    [
      'address',
      { line1: '', line2: 'Quay, 1', city: '-Bern', region: '', postal_code: '03001', country: 'CH' },
    ],
    ['member', person.adminId],
    ['client_account', (await newClient(person, '=Acme; Ltd')).id],
    ['location', (await newLocation(person)).id],
    ['location', removed],
    [
      'reference',
      { source_id: uuid(99), external_id: '=7', label: 'Pump; 7' },
      { reference: { target_ref: 'locations' } },
    ],
  ];
};

const asked = async (): Promise<Asked[]> => [
  ...(await values()).map(([type, value, more], n) => ({ id: uuid(n + 100), type, value, more })),
  { id: uuid(300), type: 'number', value: null, is_na: true, more: { allow_na: true }, note: '=no; "gauge"' },
  { id: uuid(301), type: 'multi_select', value: null, more: { options: OPTIONS }, note: '-later' },
];

beforeAll(async () => {
  person = await newPerson('Harbour Inspections');
  removed = (await newLocation(person)).id;
  const questions = await asked();
  inspection = await startedInspection(person, {
    family: {
      content: {
        sections: [
          section(1, [
            ...questions.map(({ id, type, more }, n) => ({ id, type, label: HOSTILE[n % 12], ...more })),
            field(400, 'instruction'),
            field(401, 'calculated', { formula: '-1 / 8' }),
            ...RESULTS.map(([formula], n) => field(402 + n, 'calculated', { formula })),
          ]),
          section(900, [field(901, 'multi_select', { label: 'Damage', options: OPTIONS })], {
            title: 'Rooms; all',
            repeat: { max: 5 },
          }),
        ],
      },
    },
  });
  const media = [{ document_id: await newDocument(person), caption: '=beside; "it"' }];
  for (const [n, { id, value, note = '', is_na = false }] of questions.entries())
    await saved(person, inspection, { field_id: id, value, note, is_na, ...(n === 0 && { media }) });
  for (const [n, value] of [['a', '=1+1'], ['b']].entries())
    await saved(person, inspection, {
      section_id: ROOM,
      field_id: SEVERAL,
      instance_path: `${ROOM}[${n}]`,
      value,
    });
  await person.locations.delete({ params: { location_id: removed } });
  answers = await recordsOf(person, inspection, { limit: 100 });
});

const fileOf = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

const taskOf = async (name: string, id: string) =>
  (await waitingTasks(person.caller)).findLast(({ data }) => data[name] === id)!;

/** The export of a new report of the inspection. */
const exported = async (format: string): Promise<Buffer> => {
  const report = await person.reports.create({ params: { inspection_id: inspection.id }, body: {} });
  await deliver(renderReport.handler, await taskOf('report_id', report.id));
  const params = { report_id: report.id };
  const { id: export_id } = await person.reports.createExport({ params, body: { format } });
  await deliver(exportReport.handler, await taskOf('export_id', export_id));
  return fileOf((await person.reports.getExport({ params: { ...params, export_id } })).url);
};

const merged = async (): Promise<Buffer> => {
  const body = { inspection_ids: [inspection.id], format: 'csv', bundle: 'merged' };
  const { id } = await person.reports.createBulkExport({ body });
  await deliver(makeBulkExport.handler, await taskOf('bulk_export_id', id));
  return fileOf((await person.reports.getBulkExport({ params: { export_id: id } })).url);
};

type Cell = string | number | boolean | undefined;
type Row = Record<string, Cell>;

const csvRows = (file: Buffer): Row[] => parse(file, { bom: true, columns: true });

const NUMBERS = new Set(['number', 'slider', 'rating', 'temperature']);
/** The result of a formula in a CSV. */
const readResult = (text: string): unknown => {
  if (text.startsWith("'")) return text.slice(1);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
};

const BOOLEANS = new Set(['yes_no', 'checkbox']);
const JSONS = new Set([
  'multi_select',
  'photo',
  'video',
  'audio',
  'file',
  'drawing',
  'signature',
  'geo_point',
  'address',
  'reference',
]);

/** A `value` of a CSV, read as the reference says. */
const readCsv = (type: string, cell: Cell): unknown => {
  const text = String(cell);
  if (text === '') return null;
  if (type === 'calculated') return readResult(text);
  if (JSONS.has(type)) return JSON.parse(text);
  if (NUMBERS.has(type)) return Number(text);
  if (BOOLEANS.has(type)) return text === 'true';
  return text.startsWith("'") ? text.slice(1) : text;
};

/** A `value` of a workbook: cells have types, and no apostrophes. */
const readCell = (type: string, cell: Cell): unknown =>
  JSONS.has(type) && typeof cell === 'string' ? JSON.parse(cell) : (cell ?? null);

const jsonOf = (cell: Cell): unknown => (cell ? JSON.parse(String(cell)) : []);

const LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OPTIONS.map(({ value, label }) => [value, label])),
  no: 'No',
  na: 'N/A',
};

const CHOICES = new Set(['yes_no_na', 'pass_fail_na', 'single_select', 'multi_select']);

/** Compares each row with its answer in the reply of the API. */
const expectAnswers = (rows: Row[], read: (type: string, cell: Cell) => unknown): void => {
  const byPlace = new Map(rows.map((row) => [`${row['field_id']} ${row['instance_path'] ?? ''}`, row]));
  const types = new Set<string>();
  for (const { field_id, instance_path, value, note, media } of answers) {
    const row = byPlace.get(`${field_id} ${instance_path}`)!;
    const type = String(row['type']);
    types.add(type);
    expect({ type, value: read(type, row['value']) }).toEqual({ type, value });
    const codes = CHOICES.has(type) && value !== null ? [value].flat() : [];
    expect(jsonOf(row['labels'])).toEqual(codes.map((code) => LABELS[code as string]));
    const isMedia = Array.isArray(value) && type !== 'multi_select';
    const files: AnswerRecord['media'] = [...(isMedia ? (value as AnswerRecord['media']) : []), ...media];
    expect(jsonOf(row['file_ids'])).toEqual(files.map(({ document_id }) => document_id));
    expect(jsonOf(row['file_captions'])).toEqual(files.map(({ caption }) => caption));
    expect(jsonOf(row['file_names'])).toEqual(files.map(() => 'rail.png'));
    expect(String(row['note'] ?? '').replace(/^'/, '')).toBe(note);
  }
  expect(types).toEqual(new Set(FieldType.options.filter((type) => type !== 'instruction')));
  expect(rows.some(({ type }) => type === 'instruction')).toBe(false);
};

const IS_FORMULA = /^[=+\-@\t\r＝＋－＠]/;

describe.each([
  ['POST /reports/{report_id}/exports', () => exported('csv')],
  ['POST /report-exports', merged],
])('%s', (_operation, make) => {
  it('202 makes a CSV from which each answer is read back as the API gives it, and that runs no formula', async () => {
    const file = await make();
    expectAnswers(csvRows(file), readCsv);
    const cells = parse(file, { bom: true }).flat();
    expect(cells.filter((cell) => IS_FORMULA.test(cell) && Number.isNaN(Number(cell)))).toEqual([]);
  });

  it('202 tells the texts of formulas from numbers and booleans', async () => {
    const results = csvRows(await make()).filter(({ field_id }) => String(field_id) >= uuid(402));
    expect(results.slice(0, RESULTS.length).map(({ value }) => value)).toEqual(
      RESULTS.map(([, value]) => value),
    );
  });

  it('202 names a place that was deleted since by its id alone', async () => {
    const row = csvRows(await make()).find(({ value }) => value === removed);
    expect(row).toMatchObject({ type: 'location', answer: '' });
  });

  it('202 appends what programs read, and leaves the columns before it as they were', async () => {
    const [header] = parse(await make(), { bom: true });
    expect(header!.slice(-6)).toEqual([
      'instance_path',
      'value',
      'labels',
      'file_ids',
      'file_names',
      'file_captions',
    ]);
  });
});

describe('POST /reports/{report_id}/exports as a workbook', () => {
  /** The rows of a sheet; formulas would be objects. */
  const rowsOf = (sheet: ExcelJs.Worksheet): Cell[][] => {
    const rows: Cell[][] = [];
    sheet.eachRow((row) => rows.push((row.values as Cell[]).slice(1)));
    return rows;
  };

  let workbook: ExcelJs.Workbook;
  beforeAll(async () => {
    workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load((await exported('xlsx')) as never);
  });

  it('202 has typed cells from which each answer is read back as the API gives it', () => {
    const [header, ...rows] = rowsOf(workbook.getWorksheet('Answers')!);
    const names = header!.map((name) => String(name).toLowerCase().replaceAll(' ', '_'));
    expectAnswers(
      rows.map((cells) => Object.fromEntries(names.map((name, n) => [name, cells[n]]))),
      readCell,
    );
  });

  it('202 has a column for each option of questions that take several', () => {
    const [header, ...rows] = rowsOf(workbook.getWorksheet('Choices')!);
    expect(header!.length - new Set(header).size).toBe(0);
    const damage = header!.indexOf('Damage');
    expect(header!.slice(damage)).toEqual(['Damage', ...HOSTILE.map((label) => `Damage: ${label}`)]);
    const chosen = (...positions: number[]) => CODES.map((_, n) => positions.includes(n));
    expect(rows.map((cells) => [cells[2], ...cells.slice(damage)])).toEqual([
      [undefined],
      [`${ROOM}[0]`, 'Dirty; wet; two\nlines', ...chosen(0, 2)],
      [`${ROOM}[1]`, 'Say "no", twice', ...chosen(1)],
    ]);
    expect(rows[0]!.filter((cell) => cell === true)).toHaveLength(CODES.length + 1);
  });
});

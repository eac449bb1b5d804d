import type { FieldType } from '../../../schemas/templates/content.ts';
import { type ContentIndex, limitsOf, optionsOf, type Question } from '../../content/content-index.ts';
import { MAX_MEDIA } from '../../content/limits.ts';
import {
  at,
  CLIENT,
  COMPLETED,
  DAY,
  documentId,
  type FileKind,
  idOf,
  INSPECTOR,
  LOCATION,
  mediaOf,
  PEOPLE,
} from './identities.ts';

type Candidates = (field: Question, index: ContentIndex) => unknown[];

const TEXTS = [
  'Checked together with the site manager',
  'Building B, second floor',
  'As agreed at the last visit',
  'Sample',
];
const LONG_TEXT =
  'Walked through the whole site together with the manager. All areas were accessible.\n\n' +
  'Two items were corrected on the spot; what remains open is listed among the findings.';

/** Texts that patterns commonly match. */
const PATTERNED = (
  'A-1024 ABC-123 AB12 A1 A 1024 12345 123456 12345678 1 1.5 2026 2026-03-02 09:30 sample ' +
  'sample@example.com https://example.com +442079460958'
).split(' ');

const BARCODE = '0012345678905';

const texts =
  (usual: readonly string[]): Candidates =>
  ({ pattern, max_length }) =>
    pattern === null
      ? [...usual.filter(({ length }) => length <= (max_length ?? length)), 'A']
      : [...PATTERNED, ...usual];

/** Numbers on the field's steps, first from the middle of its range, and one that is between two steps. */
const numbers: Candidates = (field) => {
  const { min, max, step } = limitsOf(field);
  const by = step ?? 1;
  const lowest = min ?? (max === null ? 0 : Math.min(0, Math.floor(max / by - 20) * by));
  const span = (max ?? lowest + 20 * by) - lowest;
  const steps = [0.6, 0.4, 0.8, 0, 1].map((share) => lowest + Math.round((share * span) / by) * by);
  // Without a step, limits that are less than 1 apart may have no whole number between them.
  return [...steps, lowest + span / 2].map((value) => Number(value.toPrecision(12)));
};

const booleans: Candidates = () => [true, false];

const singleOptions: Candidates = (field, index) => optionsOf(index, field).map(({ value }) => value);

const severalOptions: Candidates = (field, index) => {
  const options = optionsOf(index, field);
  const conforming = options.filter(({ is_failed, is_na }) => !is_failed && !is_na);
  const pairs = conforming.slice(1).map((option, i) => [conforming[i]!.value, option.value]);
  return [...pairs, ...options.map(({ value }) => [value])];
};

const media =
  (kind: FileKind, usual: number): Candidates =>
  (field) => {
    const rule = 'media' in field ? field.media : null;
    return [mediaOf(kind, Math.min(rule?.max ?? MAX_MEDIA, Math.max(rule?.min ?? 0, usual)))];
  };

const signatures: Candidates = () => {
  const signed = { signed_name: PEOPLE[INSPECTOR], signed_at: at(COMPLETED - 5) };
  return [
    { ...signed, document_id: documentId('signature') },
    { ...signed, typed: PEOPLE[INSPECTOR] },
  ];
};

const none: Candidates = () => [];

const CANDIDATES: Record<FieldType, Candidates> = {
  text: texts(TEXTS),
  long_text: texts([LONG_TEXT, ...TEXTS]),
  barcode: ({ pattern }) => [BARCODE, ...(pattern === null ? ['1'] : PATTERNED)],
  number: numbers,
  slider: numbers,
  rating: numbers,
  temperature: numbers,
  yes_no: booleans,
  checkbox: booleans,
  yes_no_na: singleOptions,
  pass_fail_na: singleOptions,
  single_select: singleOptions,
  multi_select: severalOptions,
  date: () => [DAY, '2025-11-17', '2027-06-30'],
  time: () => ['09:30', '14:15', '23:00'],
  datetime: () => [at(30), at(-150_000), at(500_000)],
  photo: media('photo', 2),
  drawing: media('drawing', 1),
  video: media('video', 1),
  audio: media('audio', 1),
  file: media('file', 1),
  signature: signatures,
  geo_point: () => [{ lat: 51.48, lng: 0, accuracy_m: 8 }],
  address: () => [{ line1: '12 Harbour Street', postal_code: '1234', city: 'Sampleton' }],
  member: () => PEOPLE.map((_, n) => idOf('person', n)),
  client_account: () => [CLIENT.id],
  location: () => [LOCATION.id],
  reference: () => [{ source_id: idOf('source'), external_id: 'A-1024', label: 'Sample entry' }],
  calculated: none,
  instruction: none,
};

/** The values that a field's `fail_if` compares with, and for numbers those just below and above. */
const nearRule = (field: Question): unknown[] => {
  const rule = 'fail_if' in field ? field.fail_if : null;
  const by = field.step ?? 1;
  return [rule?.value ?? []]
    .flat()
    .flatMap((bound): unknown[] => (typeof bound === 'number' ? [bound - by, bound, bound + by] : [bound]))
    .map((value) => (field.type === 'multi_select' ? [value] : value));
};

/** Values that may answer a question, the most plausible first. The question's limits may refuse some of them. */
export const candidatesFor = (field: Question, index: ContentIndex): unknown[] => [
  ...CANDIDATES[field.type](field, index),
  ...nearRule(field),
];

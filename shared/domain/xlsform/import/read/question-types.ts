import type { FieldType } from '../../../../schemas/templates/content.ts';

/** The meaning of a row of the survey, by the text in its type column. */
export type RowType =
  | { kind: 'begin'; control: Control; list?: string }
  | { kind: 'end'; control: Control }
  | { kind: 'select'; many: boolean; source: ListSource; list: string; orOther: boolean; isRanked: boolean }
  | ({ kind: 'question' } & QuestionType)
  | { kind: 'unanswered'; severity: 'note' | 'lost'; message: string }
  | { kind: 'setting'; name: string };

export type Control = 'group' | 'repeat' | 'loop';

/** Where the options of a select come from: a sheet, another file, or earlier answers. */
export type ListSource = 'choices' | 'external_choices' | 'file' | 'answers';

interface QuestionType {
  type: FieldType;
  /** The limits that the type sets. */
  limits?: { min?: number; max?: number; step?: number; pattern?: string; unit?: string };
  /** The help text of a row without a hint. */
  help?: string;
  /** The remark on a type that a field type cannot replace completely. */
  lost?: string;
  /** The remark on a type that becomes a start field. */
  start?: string;
}

const whole = { step: 1 };
const points =
  'this question becomes a text field for its points, because lines and areas are not supported. People write each point as "lat lng altitude accuracy", with ";" between them';

/** Questions by type, without the words `add … prompt`, `q …` and `get …` that old forms put around it. */
const questions = new Map<string, QuestionType>(
  Object.entries({
    text: { type: 'text' },
    string: { type: 'text' },
    'phone number': { type: 'text', limits: { pattern: String.raw`\d*` }, help: 'Enter numbers only.' },
    integer: { type: 'number', limits: whole },
    int: { type: 'number', limits: whole },
    decimal: { type: 'number' },
    percentage: { type: 'number', limits: { ...whole, min: 0, max: 100, unit: '%' } },
    'number of days in last month': { type: 'number', limits: { ...whole, min: 0, max: 31 } },
    'number of days in last six months': { type: 'number', limits: { ...whole, min: 0, max: 183 } },
    'number of days in last year': { type: 'number', limits: { ...whole, min: 0, max: 365 } },
    range: { type: 'slider' },
    barcode: { type: 'barcode' },
    date: { type: 'date' },
    time: { type: 'time' },
    datetime: { type: 'datetime' },
    'date time': { type: 'datetime' },
    geopoint: { type: 'geo_point' },
    gps: { type: 'geo_point' },
    location: { type: 'geo_point' },
    geotrace: { type: 'long_text', lost: points },
    geoshape: { type: 'long_text', lost: points },
    image: { type: 'photo' },
    photo: { type: 'photo' },
    picture: { type: 'photo' },
    audio: { type: 'audio' },
    video: { type: 'video' },
    file: { type: 'file' },
    note: { type: 'instruction' },
    acknowledge: { type: 'checkbox' },
    trigger: { type: 'checkbox' },
    calculate: { type: 'calculated' },
    hidden: { type: 'calculated' },
    today: {
      type: 'date',
      start: 'this is a start field now: people enter the date when they set up an inspection',
    },
    'start-geopoint': {
      type: 'geo_point',
      start: 'this is a start field now: people enter the place when they set up an inspection',
    },
  }),
);

const note = (message: string) => ({ severity: 'note' as const, message });
const lost = (message: string) => ({ severity: 'lost' as const, message });
const startedAt = note('an inspection records this as started_at');
const submittedAt = note('an inspection records this as submitted_at');
const answeredBy = note('each answer records this as answered_by');
const device = lost('inspections do not record the device');

/** Rows that nobody answers. */
const unanswered = new Map<string, { severity: 'note' | 'lost'; message: string }>(
  Object.entries({
    start: startedAt,
    'start time': startedAt,
    end: submittedAt,
    'end time': submittedAt,
    username: answeredBy,
    email: answeredBy,
    audit: note('each answer records this as answered_by and answered_at'),
    ...Object.fromEntries(
      [
        'deviceid',
        'device id',
        'subscriberid',
        'subscriber id',
        'simserial',
        'sim id',
        'phonenumber',
        'imei',
      ].map((name) => [name, device]),
    ),
    'background-audio': lost('inspections do not record sound in the background'),
    'background-geopoint': lost('inspections do not record places in the background'),
    'xml-external': lost('data files beside the form are not imported'),
    'csv-external': lost('data files beside the form are not imported'),
    osm: lost('OpenStreetMap features are not imported'),
    include: lost('questions of other forms are not imported'),
    'cascading select': lost('the cascades sheet is not imported'),
  }),
);

const oneOf = { many: false, source: 'choices' as const };
const severalOf = { many: true, source: 'choices' as const };

const selects = new Map<string, { many: boolean; source: ListSource; isRanked?: boolean }>([
  ['select one', oneOf],
  ['select1', oneOf],
  ['select one from', oneOf],
  ['select one using', oneOf],
  ['select one prompt using', oneOf],
  ['select', severalOf],
  ['select multiple', severalOf],
  ['select multiple from', severalOf],
  ['select multiple using', severalOf],
  ['select multiple prompt using', severalOf],
  ['select all that apply', severalOf],
  ['select all that apply from', severalOf],
  ['select one external', { many: false, source: 'external_choices' }],
  ['select one from file', { many: false, source: 'file' }],
  ['select multiple from file', { many: true, source: 'file' }],
  ['rank', { many: true, source: 'choices', isRanked: true }],
]);

const controls = new Map<string, Control>(
  Object.entries({
    group: 'group',
    repeat: 'repeat',
    lgroup: 'repeat',
    'looped group': 'repeat',
    loop: 'loop',
  }),
);

/** The field types that an appearance selects, by field type and appearance. */
export const appearances: ReadonlyMap<string, FieldType> = new Map([
  ['text multiline', 'long_text'],
  ['slider rating', 'rating'],
  ['number rating', 'rating'],
  ['photo signature', 'signature'],
  ['photo draw', 'drawing'],
  ['photo annotate', 'drawing'],
]);

const settings = new Map([
  ['set form title', 'form_title'],
  ['set form id', 'form_id'],
]);

/** The types that may be suggested for a misspelt one. */
export const questionTypes: readonly string[] = [...questions.keys(), ...unanswered.keys()];

/** The longest text of a type column that is examined, in characters. */
const MAX_TYPE_LENGTH = 500;

const selectOf = (text: string): RowType | undefined => {
  const [, command = '', list = '', other] =
    /^(.+?) (\S+)( or[ _]other| or specify other)?$/i.exec(text) ?? [];
  const bare = command
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/^(?:add|q) /, '');
  const found = selects.get(bare);
  if (!found) return undefined;
  const source = list.startsWith('${') ? 'answers' : found.source;
  return { kind: 'select', isRanked: false, ...found, source, list, orOther: other !== undefined };
};

/** The meaning of the text in a type column; undefined for a type that XLSForm does not have. */
export const rowTypeOf = (given: string): RowType | undefined => {
  if (given.length > MAX_TYPE_LENGTH) return undefined;
  const text = given.replaceAll(/\s+/g, ' ').trim();
  const plain = text.toLowerCase().replaceAll('_', ' ');
  const [, begins, word, list] =
    /^(?:(begin)|end)[ _](group|repeat|lgroup|looped[ _]group|loop)(?: (?:over )?(\S+))?$/i.exec(text) ?? [];
  if (word !== undefined) {
    const control = controls.get(word.toLowerCase().replace('_', ' '))!;
    return begins === undefined
      ? { kind: 'end', control }
      : { kind: 'begin', control, ...(list && { list }) };
  }
  const setting = settings.get(plain);
  if (setting) return { kind: 'setting', name: setting };
  const bare = plain.replace(/^(?:add|q|get) /, '').replace(/ prompt$/, '');
  const question = questions.get(bare);
  if (question) return { kind: 'question', ...question };
  const silent = unanswered.get(bare.replace(/^uri:/, '')) ?? unanswered.get(bare.split(' ')[0]!);
  if (silent && !selects.has(bare)) return { kind: 'unanswered', ...silent };
  return selectOf(text);
};

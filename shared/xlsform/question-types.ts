import type { FieldType } from '../schemas/templates/content.ts';

/** What a row of the survey is, by its type. */
export type RowType =
  | { kind: 'begin'; control: Control; list?: string }
  | { kind: 'end'; control: Control }
  | { kind: 'select'; many: boolean; source: ListSource; list: string; orOther: boolean; isRanked: boolean }
  | ({ kind: 'question' } & QuestionType)
  | { kind: 'unanswered'; severity: 'note' | 'lost'; message: string }
  | { kind: 'setting'; name: string };

export type Control = 'group' | 'repeat' | 'loop';

/** Where the options of a select are. */
export type ListSource = 'choices' | 'external_choices' | 'file' | 'answers';

interface QuestionType {
  type: FieldType;
  /** Limits that are part of the type. */
  limits?: { min?: number; max?: number; step?: number; pattern?: string; unit?: string };
  help?: string;
  /** What the type loses. */
  lost?: string;
  /** Asked when the inspection is set up. */
  start?: string;
}

const whole = { step: 1 };
const points =
  'a content has no lines and areas: it is answered as a text, "lat lng altitude accuracy" of each point, joined by ";"';

/** By the name without `add … prompt`, `q …` and `get …`, which old forms put around it. */
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
    today: { type: 'date', start: 'the date is asked for when the inspection is set up' },
    'start-geopoint': { type: 'geo_point', start: 'the place is asked for when the inspection is set up' },
  }),
);

const recorded = (where: string) => ({
  severity: 'note' as const,
  message: `an inspection records it: ${where}`,
});
const lost = (message: string) => ({ severity: 'lost' as const, message });
const device = lost('an inspection does not record the device');

/** Rows that ask nobody anything. */
const unanswered = new Map<string, { severity: 'note' | 'lost'; message: string }>(
  Object.entries({
    start: recorded('started_at'),
    'start time': recorded('started_at'),
    end: recorded('submitted_at'),
    'end time': recorded('submitted_at'),
    username: recorded('answered_by, of each answer'),
    email: recorded('answered_by, of each answer'),
    audit: recorded('answered_by and answered_at, of each answer'),
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
    'background-audio': lost('an inspection records no sound by itself'),
    'background-geopoint': lost('an inspection records no place by itself'),
    'xml-external': lost('data beside the form is not part of a content'),
    'csv-external': lost('data beside the form is not part of a content'),
    osm: lost('OpenStreetMap features are not part of a content'),
    include: lost("another form's questions are not in this file"),
    'cascading select': lost('the cascades sheet is not carried over'),
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

/** Of an appearance, what says another type. */
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

const LONGEST_TYPE = 500;

const select = (text: string): RowType | undefined => {
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

/** What a row is, by the text in its type column; undefined for what no XLSForm has. */
export const rowTypeOf = (given: string): RowType | undefined => {
  if (given.length > LONGEST_TYPE) return undefined;
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
  return select(text);
};

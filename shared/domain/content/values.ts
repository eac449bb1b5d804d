import type { Problem, ProblemType } from '../../base/problem.ts';
import type { Comparison, FailRule, MediaRule, Operand } from '../../schemas/templates/content.ts';
import type { ContentIndex, Question } from './content-index.ts';
import { isAnswerable, isMedia, limitsOf, optionsOf } from './content-index.ts';

/** A pattern is tried on texts no longer than this: its cost grows with a power of the length. */
export const PATTERN_LENGTH = 200;

/** No measurement is larger, or nearer to zero without being it; within these a double keeps the 15 digits written. */
const LARGEST = 1e15;
const SMALLEST = 1e-15;

/** The largest number of media in one answer where the field sets no limit. */
const MOST_MEDIA = 50;

type Checked = { value: unknown } | Problem[];
type Check = (input: unknown, loc: string[]) => Checked;

/** Only short values are echoed: an answer may be megabytes, or nested deeper than a serializer's stack. */
const refuse = (
  loc: string[],
  type: ProblemType,
  msg: string,
  input?: unknown,
  ctx?: Record<string, unknown>,
): Problem[] => {
  const isShort = typeof input === 'string' ? input.length <= 200 : typeof input !== 'object';
  return [{ loc, msg, type, ...(isShort && input !== undefined && { input }), ...(ctx && { ctx }) }];
};

const text =
  (longest: number, shortest = 0): Check =>
  (input, loc) => {
    if (typeof input !== 'string') return refuse(loc, 'string_type', 'Input should be a valid string', input);
    if (input.length > longest)
      return refuse(loc, 'string_too_long', `String should have at most ${longest} characters`, input, {
        max_length: longest,
      });
    if (input.trim().length < shortest)
      return refuse(loc, 'string_too_short', `String should have at least ${shortest} character(s)`, input, {
        min_length: shortest,
      });
    return { value: input.toWellFormed() };
  };

/** A text that `read` brings into its normal form, or refuses by undefined. */
const written =
  (read: (input: string) => string | undefined, type: ProblemType, msg: string): Check =>
  (input, loc) => {
    if (typeof input !== 'string') return refuse(loc, 'string_type', 'Input should be a valid string', input);
    const value = read(input);
    return value === undefined ? refuse(loc, type, msg, input) : { value };
  };

const uuid = written(
  (input) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(input) ? input.toLowerCase() : undefined),
  'uuid_parsing',
  'Input should be a valid UUID',
);

const isDay = (input: string) => {
  const day = new Date(`${input}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(input) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(input)
  );
};
const clock = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
/** RFC 3339 section 5.6, without leap seconds. */
const timestamp =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const date = written(
  (input) => (isDay(input) ? input : undefined),
  'date_from_datetime_parsing',
  'Input should be a valid date, YYYY-MM-DD',
);
const time = written(
  (input) => (clock.test(input) ? input : undefined),
  'value_error',
  'Value error, a time is HH:MM or HH:MM:SS',
);
const datetime = written(
  (input) => {
    const value = input.toUpperCase();
    return isDay(timestamp.exec(value)?.[1] ?? '') ? value : undefined;
  },
  'datetime_parsing',
  'Input should be a valid date-time with its offset (RFC 3339)',
);

/** A number's shortest decimal form, or one that is written, its exponent after `e`, as `digits × 10^-scale`. */
export const decimal = (n: number | string) => {
  const [mantissa = '', exponent = '0'] = String(n).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
};

/** Whether n is `base` plus a multiple of `step`, as decimals: 0.3 is three steps of 0.1. */
export const isOnStep = (n: number, base: number, step: number) => {
  const parts = [n, base, step].map(decimal);
  const scale = Math.max(...parts.map((part) => part.scale));
  const [value = 0n, from = 0n, by = 1n] = parts.map(
    (part) => part.digits * 10n ** BigInt(scale - part.scale),
  );
  return (value - from) % by === 0n;
};

const number =
  ({ min, max, step }: ReturnType<typeof limitsOf>): Check =>
  (input, loc) => {
    if (typeof input !== 'number' || !Number.isFinite(input))
      return refuse(loc, 'float_type', 'Input should be a valid number', input);
    const ge = Math.max(min ?? -LARGEST, -LARGEST);
    const le = Math.min(max ?? LARGEST, LARGEST);
    if (input < ge)
      return refuse(loc, 'greater_than_equal', `Input should be greater than or equal to ${ge}`, input, {
        ge,
      });
    if (input > le)
      return refuse(loc, 'less_than_equal', `Input should be less than or equal to ${le}`, input, { le });
    if (input !== 0 && Math.abs(input) < SMALLEST)
      return refuse(loc, 'value_error', `Value error, nearer to zero than ${SMALLEST}`, input);
    if (step !== null && step > 0 && !isOnStep(input, min ?? 0, step)) {
      const steps = min ? `${min} plus a multiple of ${step}` : `a multiple of ${step}`;
      return refuse(loc, 'value_error', `Value error, should be ${steps}`, input, { multiple_of: step });
    }
    return { value: input === 0 ? 0 : input };
  };

const boolean: Check = (input, loc) =>
  typeof input === 'boolean'
    ? { value: input }
    : refuse(loc, 'bool_type', 'Input should be a valid boolean', input);

const oneOf = (values: string[]): Check => {
  const known = new Set(values);
  const shown = values.slice(0, 10).map((value) => `'${value}'`);
  const expected = [...shown, ...(values.length > shown.length ? ['…'] : [])].join(', ');
  return written(
    (input) => (known.has(input) ? input : undefined),
    'enum',
    `Input should be one of ${expected}`,
  );
};

/** A list without two items of the same key. */
const list =
  (item: Check, most: number, keyOf: (value: unknown) => unknown): Check =>
  (input, loc) => {
    if (!Array.isArray(input)) return refuse(loc, 'list_type', 'Input should be a valid list', input);
    if (input.length > most)
      return refuse(
        loc,
        'too_long',
        `List should have at most ${most} items, not ${input.length}`,
        undefined,
        {
          max_length: most,
          actual_length: input.length,
        },
      );
    const values: unknown[] = [];
    const problems: Problem[] = [];
    const keys = new Set<unknown>();
    for (const [i, entry] of input.entries()) {
      const at = [...loc, String(i)];
      const checked = item(entry, at);
      if (Array.isArray(checked)) problems.push(...checked);
      else if (keys.has(keyOf(checked.value)))
        problems.push(...refuse(at, 'value_error', 'Value error, given twice'));
      else {
        keys.add(keyOf(checked.value));
        values.push(checked.value);
      }
    }
    return problems.length > 0 ? problems : { value: values };
  };

/** What stands for a member left out; without it the member is required. */
interface Member {
  check: Check;
  absent?: null | '';
}

const object =
  (members: Record<string, Member>): Check =>
  (input, loc) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return refuse(loc, 'dict_type', 'Input should be a valid dictionary', input);
    const given = new Map(Object.entries(input));
    const value: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const [name, { check, absent }] of Object.entries(members)) {
      const member = given.get(name) ?? undefined;
      const at = [...loc, name];
      given.delete(name);
      const checked: Checked =
        member !== undefined
          ? check(member, at)
          : absent === undefined
            ? refuse(at, 'missing', 'Field required')
            : { value: absent };
      if (Array.isArray(checked)) problems.push(...checked);
      else value[name] = checked.value;
    }
    for (const name of given.keys())
      problems.push(...refuse([...loc, name], 'extra_forbidden', 'Extra inputs are not permitted'));
    return problems.length > 0 ? problems : { value };
  };

/** `check`, then a rule over its whole value, which says what is wrong or nothing. */
const also =
  (check: Check, fault: (value: never) => string | undefined): Check =>
  (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked)) return checked;
    const msg = fault(checked.value as never);
    return msg === undefined ? checked : refuse(loc, 'value_error', `Value error, ${msg}`);
  };

const mediaRule = (field: Question): MediaRule | null => ('media' in field ? field.media : null);

/** One medium of an answer. */
export interface MediaItem {
  document_id: string;
  caption: string;
}

const media = (field: Question) =>
  list(
    object({ document_id: { check: uuid }, caption: { check: text(500), absent: '' } }),
    mediaRule(field)?.max ?? MOST_MEDIA,
    (item) => (item as MediaItem).document_id,
  );

const signature = also(
  object({
    document_id: { check: uuid, absent: null },
    typed: { check: text(200, 1), absent: null },
    signed_name: { check: text(200, 1) },
    signed_at: { check: datetime, absent: null },
  }),
  ({ document_id, typed }: { document_id: unknown; typed: unknown }) =>
    (document_id === null) === (typed === null) ? 'a signature has either document_id or typed' : undefined,
);

const geoPoint = object({
  lat: { check: number({ min: -90, max: 90, step: null }) },
  lng: { check: number({ min: -180, max: 180, step: null }) },
  accuracy_m: { check: number({ min: 0, max: null, step: null }), absent: null },
});

const line: Member = { check: text(200), absent: '' };
const country = written(
  (input) => (/^[a-z]{2}$/i.test(input) ? input.toUpperCase() : input === '' ? '' : undefined),
  'string_pattern_mismatch',
  'Input should be an ISO 3166-1 alpha-2 code',
);

const address = also(
  object({
    line1: line,
    line2: line,
    city: line,
    region: line,
    postal_code: line,
    country: { check: country, absent: '' },
  }),
  (value: Record<string, string>) =>
    Object.values(value).every((part) => part.trim() === '') ? 'an address has at least one part' : undefined,
);

const reference = object({
  source_id: { check: uuid },
  external_id: { check: text(200, 1) },
  label: { check: text(500), absent: '' },
});

const fieldText = (field: Question): Check => {
  const longest = field.max_length ?? (field.type === 'long_text' ? 20_000 : 1_000);
  const { pattern } = field;
  if (pattern === null) return text(longest);
  const whole = new RegExp(`^(?:${pattern})$`, 'u');
  const check = text(Math.min(longest, PATTERN_LENGTH));
  return (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked) || checked.value === '' || whole.test(checked.value as string)) return checked;
    return refuse(loc, 'string_pattern_mismatch', `String should match pattern '${pattern}'`, input, {
      pattern,
    });
  };
};

const selection = (field: Question, index: ContentIndex): Check => {
  const options = optionsOf(index, field);
  const order = options.map(({ value }) => value);
  const check = also(
    list(oneOf(order), order.length, (value) => value),
    (values: string[]) =>
      values.length > 1 && options.some(({ is_na, value }) => is_na && values.includes(value))
        ? 'not applicable stands alone'
        : undefined,
  );
  return (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked)) return checked;
    const chosen = new Set(checked.value as string[]);
    return { value: order.filter((value) => chosen.has(value)) };
  };
};

const checkOf = (field: Question, index: ContentIndex): Check => {
  switch (field.type) {
    case 'text':
    case 'long_text':
    case 'barcode':
      return fieldText(field);
    case 'number':
    case 'slider':
    case 'rating':
    case 'temperature':
      return number(limitsOf(field));
    case 'yes_no':
    case 'checkbox':
      return boolean;
    case 'yes_no_na':
    case 'pass_fail_na':
    case 'single_select':
      return oneOf(optionsOf(index, field).map(({ value }) => value));
    case 'multi_select':
      return selection(field, index);
    case 'date':
      return date;
    case 'time':
      return time;
    case 'datetime':
      return datetime;
    case 'photo':
    case 'video':
    case 'audio':
    case 'file':
    case 'drawing':
      return media(field);
    case 'signature':
      return signature;
    case 'geo_point':
      return geoPoint;
    case 'address':
      return address;
    case 'member':
    case 'client_account':
    case 'location':
      return uuid;
    case 'reference':
      return reference;
    case 'calculated':
      return (_, loc) => refuse(loc, 'value_error', 'Value error, a calculated field is read-only');
    case 'instruction':
      return (_, loc) => refuse(loc, 'value_error', 'Value error, an instruction takes no answer');
  }
};

/** The options that a choice's answer names. */
export const chosenOptions = (field: Question, index: ContentIndex, value: unknown) => {
  const values = new Set([value].flat());
  return optionsOf(index, field).filter((option) => values.has(option.value));
};

/**
 * Checks an answer against its field's type and limits. `null` clears it. An answer may be marked not applicable
 * where the field or a section around it allows it, and then has no value; choosing an option that says so marks it too.
 * @returns the value in the form to be stored, in which it checks to itself, and whether it is not applicable;
 *   or every problem, loc `["body", "value", …]` or `["body", "is_na"]`.
 */
export const checkAnswer = (
  field: Question,
  index: ContentIndex,
  value: unknown,
  { is_na = false }: { is_na?: boolean } = {},
): { value: unknown; is_na: boolean } | Problem[] => {
  const loc = ['body', 'value'];
  const checked =
    isAnswerable(field) && (value === null || value === undefined)
      ? { value: null }
      : checkOf(field, index)(value, loc);
  if (Array.isArray(checked)) return checked;
  if (chosenOptions(field, index, checked.value).some((option) => option.is_na))
    return { ...checked, is_na: true };
  if (!is_na) return { ...checked, is_na };
  const allowed = 'id' in field && (index.fields.get(field.id)?.allowsNa ?? field.allow_na);
  const problems = [
    ...(allowed
      ? []
      : refuse(['body', 'is_na'], 'value_error', 'Value error, the field always applies', is_na)),
    ...(checked.value === null
      ? []
      : refuse(loc, 'value_error', 'Value error, an answer that does not apply has no value', value)),
  ];
  return problems.length > 0 ? problems : { value: null, is_na };
};

/** The same as `checkAnswer` for the media that stand beside an answer; loc `["body", "media", …]`. */
export const checkMedia = (field: Question, value: unknown): { value: MediaItem[] } | Problem[] =>
  media(field)(value, ['body', 'media']) as { value: MediaItem[] } | Problem[];

/** Whether a document of a MIME type may be among a field's media. */
export const acceptsMedia = (field: Question, mimeType: string) => {
  const kinds = mediaRule(field)?.kinds ?? (isMedia(field) ? [field.type] : ['file']);
  const families: Record<string, string> = {
    photo: 'image/',
    drawing: 'image/',
    video: 'video/',
    audio: 'audio/',
  };
  return kinds.some((kind) => mimeType.startsWith(families[kind] ?? ''));
};

/** Nothing, a blank text, an empty list or object: no answer. */
export const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
};

/** Times and date-times in a form whose order is theirs, whatever their precision or offset. */
const comparable = (value: unknown) => {
  if (typeof value !== 'string') return value;
  if (timestamp.test(value)) return Date.parse(value);
  return clock.test(value) ? value.padEnd(8, ':00') : value;
};

/** Below, at or above 0 as an answer comes before, with or after an operand; NaN where they have no order. */
export const order = (answer: unknown, operand: unknown): number => {
  const [a, b] = [comparable(answer), comparable(operand)];
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return Number.NaN;
};

/**
 * Whether an answer compares so with an operand. A list answer equals a list of the same members in any order,
 * and is `in` one that shares a member. Of an empty answer only `empty`, `ne` and `not_in` hold.
 */
export const holds = (
  op: Exclude<Comparison['op'], 'failed'> | FailRule['op'],
  answer: unknown,
  operand?: Operand | null,
): boolean => {
  if (op === 'empty') return isEmpty(answer);
  if (op === 'not_empty') return !isEmpty(answer);
  if (op === 'ne') return !holds('eq', answer, operand);
  if (op === 'not_in') return !holds('in', answer, operand);
  if (isEmpty(answer)) return false;
  const answers = [answer].flat().map(comparable);
  const operands = [operand].flat().map(comparable);
  switch (op) {
    case 'eq':
      return answers.length === operands.length && operands.every((value) => answers.includes(value));
    case 'in':
      return answers.some((value) => operands.includes(value));
    case 'contains':
      return Array.isArray(answer)
        ? operands.every((value) => answers.includes(value))
        : typeof answer === 'string' && typeof operand === 'string' && answer.includes(operand);
    case 'gt':
      return order(answer, operand) > 0;
    case 'gte':
      return order(answer, operand) >= 0;
    case 'lt':
      return order(answer, operand) < 0;
    case 'lte':
      return order(answer, operand) <= 0;
    case 'outside':
      return order(answer, operands[0]) < 0 || order(answer, operands[1]) > 0;
  }
};

/** Whether a checked answer fails: by the option chosen, or by the field's `fail_if`. */
export const isFailed = (field: Question, index: ContentIndex, value: unknown): boolean => {
  if (isEmpty(value)) return false;
  if (chosenOptions(field, index, value).some((option) => option.is_failed)) return true;
  const rule = 'fail_if' in field ? field.fail_if : null;
  return rule !== null && holds(rule.op, value, rule.value);
};

/** An answer as it is stored, for one field in one instance. */
export interface Answer {
  field_id: string;
  instance_path: string;
  value: unknown;
  note: string;
  is_na: boolean;
  /** Media beside the answer, of a field whose value is something else. */
  media?: MediaItem[];
}

/** A cleared record, and a blank one, are no answer; "not applicable" is one. */
export const isAnswered = ({ value, is_na }: Pick<Answer, 'value' | 'is_na'>) => is_na || !isEmpty(value);

/** The ids in a checked answer that have to exist in the organization. */
export const references = (field: Question, value: unknown) => {
  const found = {
    document_ids: [] as string[],
    user_ids: [] as string[],
    client_account_ids: [] as string[],
    location_ids: [] as string[],
    source_ids: [] as string[],
  };
  if (isEmpty(value)) return found;
  if (isMedia(field)) found.document_ids = (value as MediaItem[]).map(({ document_id }) => document_id);
  if (field.type === 'signature') {
    const { document_id } = value as { document_id: string | null };
    if (document_id !== null) found.document_ids = [document_id];
  }
  if (field.type === 'member') found.user_ids = [value as string];
  if (field.type === 'client_account') found.client_account_ids = [value as string];
  if (field.type === 'location') found.location_ids = [value as string];
  if (field.type === 'reference') found.source_ids = [(value as { source_id: string }).source_id];
  return found;
};

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * A checked answer as a short text for a report: options by their labels, numbers with their unit, dates and
 * times as they are. Ids of people, clients and locations stay ids; `""` for no answer.
 */
export const displayAnswer = (field: Question, index: ContentIndex, value: unknown): string => {
  if (isEmpty(value)) return '';
  const chosen = chosenOptions(field, index, value);
  if (chosen.length > 0) return chosen.map(({ label }) => label).join(', ');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return field.unit ? `${value} ${field.unit}` : String(value);
  if (isMedia(field) && Array.isArray(value))
    return counted(value.length, field.type === 'audio' ? 'recording' : field.type);
  if (typeof value === 'string') return value;
  const parts = value as Partial<Record<string, string | number | null>>;
  if (field.type === 'signature') return `${parts.signed_name}`;
  if (field.type === 'reference') return `${parts.label || parts.external_id}`;
  if (field.type === 'geo_point')
    return `${parts.lat}, ${parts.lng}${parts.accuracy_m === null ? '' : ` (±${parts.accuracy_m} m)`}`;
  return Object.values(parts)
    .filter((part) => !isEmpty(part))
    .join(', ');
};

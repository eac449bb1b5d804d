import type { Problem, ProblemType } from '../../../base/problem.ts';
import { trimmed } from '../../../base/text.ts';
import type { TargetRef } from '../../../schemas/integrations/source.ts';
import type { Field } from '../../../schemas/templates/content.ts';
import type { ContentIndex, Question } from '../content-index.ts';

export type CheckedValue = { value: unknown } | Problem[];

/** Checks one value of a request. @returns the value in the form to be stored, or every problem */
export type Check = (input: unknown, loc: string[]) => CheckedValue;

/** A row of another system that an answer names. */
export interface SyncedItemReference {
  source_id: string;
  external_id: string;
  /** What the source must sync. */
  target_ref: TargetRef;
}

/** The ids in an answer that must exist in the organization. */
export interface References {
  document_ids: string[];
  user_ids: string[];
  client_account_ids: string[];
  location_ids: string[];
  synced_items: SyncedItemReference[];
}

/** The settings of a field that tell which resources its values name. */
export type Naming = Pick<Field, 'type'> & Partial<Pick<Field, 'reference'>>;

/** The rules of a type of field for its answers. */
export interface TypeRules {
  check: (field: Question, index: ContentIndex) => Check;
  /** The ids in a checked answer; left out where answers of the type contain none. */
  references?: (value: never, field: Naming) => Partial<References>;
  /** A checked answer that is an object or a list of objects, as a short text. */
  display?: (value: never, field: Question) => string;
}

/** Longer inputs, in characters, and objects are not repeated in a problem: they may be megabytes, or very deep. */
const MAX_ECHOED = 200;

/** One problem, as a list. */
export const refuse = (
  loc: string[],
  type: ProblemType,
  msg: string,
  input?: unknown,
  ctx?: Record<string, unknown>,
): Problem[] => {
  const isShort = typeof input === 'string' ? input.length <= MAX_ECHOED : typeof input !== 'object';
  return [{ loc, msg, type, ...(isShort && input !== undefined && { input }), ...(ctx && { ctx }) }];
};

/** A text of at most `longest` characters and at least `shortest`, without the white space around it. */
export const text =
  (longest: number, shortest = 0): Check =>
  (input, loc) => {
    if (typeof input !== 'string') return refuse(loc, 'string_type', 'Input should be a valid string', input);
    if (input.length > longest)
      return refuse(loc, 'string_too_long', `String should have at most ${longest} characters`, input, {
        max_length: longest,
      });
    if (trimmed(input).length < shortest)
      return refuse(loc, 'string_too_short', `String should have at least ${shortest} character(s)`, input, {
        min_length: shortest,
      });
    return { value: input.toWellFormed() };
  };

/** A text that `read` brings into its stored form, or refuses with undefined. */
export const written =
  (read: (input: string) => string | undefined, type: ProblemType, msg: string): Check =>
  (input, loc) => {
    if (typeof input !== 'string') return refuse(loc, 'string_type', 'Input should be a valid string', input);
    const value = read(input);
    return value === undefined ? refuse(loc, type, msg, input) : { value };
  };

export const uuid = written(
  (input) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(input) ? input.toLowerCase() : undefined),
  'uuid_parsing',
  'Input should be a valid UUID',
);

export const boolean: Check = (input, loc) =>
  typeof input === 'boolean'
    ? { value: input }
    : refuse(loc, 'bool_type', 'Input should be a valid boolean', input);

/** A list of at most `most` items, no two of them with the same key. */
export const list =
  (item: Check, most: number, keyOf: (value: unknown) => unknown): Check =>
  (input, loc) => {
    if (!Array.isArray(input)) return refuse(loc, 'list_type', 'Input should be a valid list', input);
    if (input.length > most) {
      const msg = `List should have at most ${most} items, not ${input.length}`;
      return refuse(loc, 'too_long', msg, undefined, { max_length: most, actual_length: input.length });
    }
    const values: unknown[] = [];
    const problems: Problem[] = [];
    const keys = new Set<unknown>();
    for (const [i, entry] of input.entries()) {
      const at = [...loc, String(i)];
      const checked = item(entry, at);
      if (Array.isArray(checked)) problems.push(...checked);
      else if (keys.has(keyOf(checked.value)))
        problems.push(...refuse(at, 'value_error', 'Value error, the list already has this item'));
      else {
        keys.add(keyOf(checked.value));
        values.push(checked.value);
      }
    }
    return problems.length > 0 ? problems : { value: values };
  };

/** A member of an object. */
export interface Member {
  check: Check;
  /** The value when the member is left out; without it the member is required. */
  absent?: null | '';
}

const memberOf = ({ check, absent }: Member, input: unknown, loc: string[]): CheckedValue => {
  if (input !== undefined) return check(input, loc);
  return absent === undefined ? refuse(loc, 'missing', 'Field required') : { value: absent };
};

/** An object with these members and no others; a member that is null counts as left out. */
export const object =
  (members: Record<string, Member>): Check =>
  (input, loc) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return refuse(loc, 'dict_type', 'Input should be a valid dictionary', input);
    const given = new Map(Object.entries(input));
    const value: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const [name, member] of Object.entries(members)) {
      const checked = memberOf(member, given.get(name) ?? undefined, [...loc, name]);
      given.delete(name);
      if (Array.isArray(checked)) problems.push(...checked);
      else value[name] = checked.value;
    }
    for (const name of given.keys())
      problems.push(...refuse([...loc, name], 'extra_forbidden', 'Extra inputs are not permitted'));
    return problems.length > 0 ? problems : { value };
  };

/** `check`, then a rule over the checked value. @param fault says what is wrong; undefined when nothing is */
export const also =
  (check: Check, fault: (value: never) => string | undefined): Check =>
  (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked)) return checked;
    const msg = fault(checked.value as never);
    return msg === undefined ? checked : refuse(loc, 'value_error', `Value error, ${msg}`);
  };

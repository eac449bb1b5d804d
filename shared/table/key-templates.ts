import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import type { ChildKind, Kind } from './entities/kinds.ts';

/*
 * A key is written as a template: a text with a placeholder for each value.
 *
 * | placeholder           | takes              | stands as                                     |
 * |-----------------------|--------------------|-----------------------------------------------|
 * | `{name}`              | a text             | itself                                        |
 * | `{name?}`             | a text, or none    | itself                                        |
 * | `{name:6}`            | a number from 0    | its digits, with zeros before them up to six  |
 * | `{name:ONE|OTHER}`    | one of these words | itself                                        |
 * | `{name??WORD}`        | a text or null     | itself, or the word for null                  |
 * | `{name:sha256}`       | a text             | its hash                                      |
 * | `{name,other:sha256}` | several texts      | the hash of all of them, one a line           |
 * | `{org_id:caller}`     | a caller           | the id of its organization                    |
 *
 * A text must not hold the character that follows it in the template, nor a `#` at the end of a partition key. At the
 * end of a sort key it may hold any character. There it is not empty, unless it is marked so.
 */

/** Exists in types only: no key or partition has a property of this name. */
declare const stored: unique symbol;

/** A row's key, with the type of the row that stands there. */
export interface Key<Row extends object = object> {
  pk: string;
  sk: string;
  readonly [stored]?: Row;
}

/** A partition key, with the type of the rows in the partition. */
export type Partition<Row extends object = object> = string & { readonly [stored]?: Row };

/** The rows of a partition whose sort keys begin with `prefix`. */
export interface Range<Row extends object = object> {
  partition: Partition<Row>;
  prefix: string;
}

/** Whoever belongs to an organization. */
export type Org = Pick<Caller, 'org_id'>;

type PlaceholdersOf<Text extends string> = Text extends `${string}{${infer Placeholder}}${infer Rest}`
  ? [Placeholder, ...PlaceholdersOf<Rest>]
  : [];

/** `A | B` for `A|B`. */
type WordsOf<Text extends string> = Text extends `${infer Word}|${infer Rest}` ? Word | WordsOf<Rest> : Text;

/** The words of the placeholder `kind`. */
type KindOf<Text extends string> = Text extends `${string}{kind:${infer Words}}${string}`
  ? WordsOf<Words>
  : never;

type NameOf<Placeholder> = Placeholder extends `${infer Name}:${string}` | `${infer Name}?${string}`
  ? Name
  : Placeholder;

/** What is found in a key where a placeholder stands. */
type ValueOf<Placeholder> = Placeholder extends `${string}??${string}`
  ? string | null
  : Placeholder extends `${string}:${infer Form}`
    ? Form extends `${number}`
      ? number
      : Form extends 'sha256' | 'caller'
        ? string
        : WordsOf<Form>
    : string;

/** What a placeholder takes. A value that may be null may also be left out where it is the last one. */
type Taken<Placeholder, Kind> = Placeholder extends `kind:${string}`
  ? [Kind]
  : Placeholder extends `${string}:caller`
    ? [Org]
    : Placeholder extends `${string}??${string}`
      ? [value?: string | null]
      : Placeholder extends `${string},${infer Others}`
        ? [string, ...Taken<Others, Kind>]
        : [ValueOf<Placeholder>];

type AllTaken<Placeholders, Kind> = Placeholders extends [infer First, ...infer Rest]
  ? [...Taken<First, Kind>, ...AllTaken<Rest, Kind>]
  : [];

/** What a template takes. */
type Arguments<Text extends string, Kind> = AllTaken<PlaceholdersOf<Text>, Kind>;

/** All placeholders but the last, all but the last two, and so on. */
type Leading<Placeholders> = Placeholders extends [...infer Before, unknown]
  ? Before | Leading<Before>
  : never;

/** What may be given of a sort key for a prefix, which is never empty. */
type PrefixArguments<Sk extends string, Kind> = AllTaken<
  Exclude<Leading<PlaceholdersOf<Sk>>, Sk extends `{${string}` ? [] : never>,
  Kind
>;

/** The type of the rows of a whole partition. Sort keys that begin with a fixed word share it with others. */
type InPartition<Row extends object, Sk extends string> = Sk extends `{kind:${string}`
  ? object
  : Sk extends `{${string}`
    ? Row
    : object;

/** The values in a key by the names of their placeholders. */
export type Values<Text extends string> = {
  [Placeholder in PlaceholdersOf<Text>[number] as NameOf<Placeholder>]: ValueOf<Placeholder>;
};

interface Template<Pk extends string, Sk extends string> {
  readonly template: { readonly pk: Pk; readonly sk: Sk };
}

/** Makes the keys of rows of one type. */
export interface RowKeys<
  Row extends object,
  Pk extends string,
  Sk extends string,
  Kind = KindOf<`${Pk} ${Sk}`>,
> extends Template<Pk, Sk> {
  (...values: Arguments<`${Pk} ${Sk}`, Kind>): Key<Row>;
  /** The partition in which these rows stand. */
  partition: (...values: Arguments<Pk, Kind>) => Partition<InPartition<Row, Sk>>;
  /** Those of a partition whose sort keys begin with the fixed word and the values that are given. */
  range: (...values: [...Arguments<Pk, Kind>, ...PrefixArguments<Sk, Kind>]) => Range<Row>;
}

/** Makes the keys of rows whose type follows from the value `kind`. */
export interface KindKeys<Rows, Pk extends string, Sk extends string> extends Template<Pk, Sk> {
  <Kind extends keyof Rows & KindOf<`${Pk} ${Sk}`>>(
    ...values: Arguments<`${Pk} ${Sk}`, Kind>
  ): Key<Rows[Kind] & object>;
  partition: <Kind extends keyof Rows & KindOf<`${Pk} ${Sk}`>>(
    ...values: Arguments<Pk, Kind>
  ) => Partition<InPartition<Rows[Kind] & object, Sk>>;
}

/** Keys of rows of any type. */
export interface AnyRowKeys extends Template<string, string> {
  (...values: never): Key;
  range: (...values: never) => Range;
}

/** A key of any template. @param values those that it takes behind the organization, in their order */
export const keyWith = (keys: AnyRowKeys, org: Org, values: readonly string[]): Key =>
  (keys as unknown as (...all: unknown[]) => Key)(org, ...values);

/** The range of any template. @param values its first ones behind the organization */
export const rangeWith = ({ range }: AnyRowKeys, org: Org, values: readonly string[]): Range =>
  (range as (...all: unknown[]) => Range)(org, ...values);

const PLACEHOLDER = /\{([\w,]+):?(.*?)\}/g;

type Write = (values: readonly unknown[]) => unknown;

/** How the values from `at` until `end` stand in a key. */
const writerOf = (form: string, at: number, end: number): Write => {
  if (form === 'caller') return (values) => (values[at] as Org).org_id;
  if (form === 'sha256') return (values) => sha256(values.slice(at, end).join('\n'));
  const digits = Number(form);
  if (digits) return (values) => String(values[at]).padStart(digits, '0');
  // Only a value with a word for null may be null.
  return (values) => values[at] ?? form.slice(2);
};

/** A template that was read. */
interface Parsed {
  /** Each placeholder with the text before it. */
  pieces: { before: string; at: number; write: Write }[];
  rest: string;
  end: number;
}

/** @param from the position of the first value */
const parse = (template: string, from = 0): Parsed => {
  const texts = template.split(PLACEHOLDER);
  const pieces: Parsed['pieces'] = [];
  let at = from;
  while (texts.length > 1) {
    const [before, names, form] = texts.splice(0, 3) as [string, string, string];
    const end = at + names.split(',').length;
    pieces.push({ before, at, write: writerOf(form, at, end) });
    at = end;
  }
  return { pieces, rest: texts[0]!, end: at };
};

/** The key with these values, or its beginning: up to the first of them that is not given. */
const fill = ({ pieces, rest }: Parsed, values: readonly unknown[], given = Infinity): string => {
  let key = '';
  for (const { before, at, write } of pieces) {
    key += before;
    if (at >= given) return key;
    key += write(values) as string;
  }
  return key + rest;
};

const keysOf = (pk: string, sk: string) => {
  let ofPk: Parsed | undefined;
  let ofSk: Parsed | undefined;
  const build = (values: readonly unknown[], given?: number): Key => {
    // A template is read when it is first used.
    ofPk ??= parse(pk);
    ofSk ??= parse(sk, ofPk.end);
    return { pk: fill(ofPk, values), sk: fill(ofSk, values, given) };
  };
  return Object.assign((...values: unknown[]) => build(values), {
    template: { pk, sk },
    partition: (...values: unknown[]) => build(values, 0).pk,
    range: (...values: unknown[]): Range => {
      const { pk: partition, sk: prefix } = build(values, values.length);
      return { partition, prefix };
    },
  });
};

/** Partition keys of an organization: that of its own row, and those below it. */
type Own<Pk extends string> = Pk extends '' ? 'ORG#{org_id:caller}' : `ORG#{org_id:caller}#${Pk}`;

const ownKeys = (pk: string, sk: string) => keysOf(`ORG#{org_id:caller}${pk && `#${pk}`}`, sk);

/** Keys of an organization's rows, all of one type. */
export const row = <Row extends object = object>() =>
  ownKeys as unknown as <const Pk extends string, const Sk extends string>(
    pk: Pk,
    sk: Sk,
  ) => RowKeys<Row, Own<Pk>, Sk>;

/** Keys of an organization's rows whose type follows from the value `kind`. */
export const rowOfKind = <Rows>() =>
  ownKeys as unknown as <const Pk extends string, const Sk extends string>(
    pk: Pk,
    sk: Sk,
  ) => KindKeys<Rows, Own<Pk>, Sk>;

/** Keys of rows below a resource or child: `INSPECTION` stands for the partition `INSPECTION#{inspection_id}`. */
export const below =
  <Row extends object = object>() =>
  <const Parent extends Kind | ChildKind, const Sk extends string>(parent: Parent, sk: Sk) =>
    ownKeys(`${parent}#{${parent.toLowerCase()}_id}`, sk) as unknown as RowKeys<
      Row,
      Own<`${Parent}#{${Lowercase<Parent>}_id}`>,
      Sk
    >;

/** Keys of rows that belong to no organization. */
export const systemRow = <Row extends object>() =>
  keysOf as unknown as <const Pk extends string, const Sk extends string>(
    pk: Pk,
    sk: Sk,
  ) => RowKeys<Row, Pk, Sk>;

/** Partitions of an organization whose rows are of several types, or stand in an index. */
export const partition = <const Pk extends string>(pk: Pk) =>
  ownKeys(pk, '').partition as unknown as (...values: Arguments<Own<Pk>, KindOf<Pk>>) => string;

/** What matches a value in a key. @param next the character after it. @param last for a text at the end */
const patternOf = (form: string, next: string | undefined, last: string): string => {
  if (form === 'sha256') return '[\\da-f]{64}';
  if (form === '?') return '[^]*';
  if (Number(form)) return `\\d{${form},}`;
  if (form === '' || form === 'caller' || form.startsWith('??')) return next ? `[^${next}]*` : last;
  // A list of words is a pattern as it stands.
  return form;
};

const valueOf = (form: string, text: string): string | number | null => {
  if (Number(form)) return Number(text);
  return form === `??${text}` ? null : text;
};

/** The values in a key of a template; undefined for any other key. */
type KeyReader = (key: string) => Record<string, unknown> | undefined;

/** @param last what matches a text at the end of the template */
const readerOf = (template: string, last: string): KeyReader => {
  const names: string[] = [];
  const forms: string[] = [];
  const pattern = template.replaceAll(PLACEHOLDER, (placeholder, name: string, form: string, at: number) => {
    names.push(name);
    forms.push(form);
    return `(${patternOf(form, template[at + placeholder.length], last)})`;
  });
  const expression = new RegExp(`^${pattern}$`);
  return (key) => {
    const found = expression.exec(key)?.slice(1);
    return found && Object.fromEntries(found.map((text, at) => [names[at], valueOf(forms[at]!, text)]));
  };
};

const readers = new WeakMap<object, [ofPk: KeyReader, ofSk: KeyReader]>();

/** The values of a key of this template by their names, hashed ones as their hash; undefined for any other key. */
export const valuesIn = <Pk extends string, Sk extends string>(
  { template }: Template<Pk, Sk>,
  { pk, sk }: Key,
): Values<`${Pk} ${Sk}`> | undefined => {
  let reader = readers.get(template);
  if (!reader) {
    reader = [readerOf(template.pk, '[^#]*'), readerOf(template.sk, '[^]+')];
    readers.set(template, reader);
  }
  const inPk = reader[0](pk);
  const inSk = inPk && reader[1](sk);
  // The type of a template and its text say the same.
  return inPk && inSk && ({ ...inPk, ...inSk } as Values<`${Pk} ${Sk}`>);
};

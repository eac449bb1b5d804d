/** The languages in which each chapter has its code. */
export const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const;
export type Language = keyof typeof LANGUAGES;

/** A value of an earlier reply, such as `location.id`; with `!` at its end where it may be null for other requests. */
export class Reference {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}
export const $ = (path: string): Reference => new Reference(path);

export type Value =
  | string
  | number
  | boolean
  | null
  | Reference
  | readonly Value[]
  | { readonly [name: string]: Value };
type Named = Readonly<Record<string, Value>>;

/** A request, written in each language from this. */
export interface Call {
  /** The id of the operation. */
  call: string;
  path?: Readonly<Record<string, Reference>>;
  query?: Readonly<Record<string, string | number>>;
  body?: Named;
  /** The `user_id` of the member for whom the key acts. */
  onBehalfOf?: Reference;
  /** The name of the reply in the steps after it. */
  as?: string;
  /** Sends it again until what is made is ready, or has failed. */
  until?: 'ready';
}

/** Prints values of replies, in a line each. */
export interface Print {
  print: readonly string[];
}

/** What no request says, by hand. It may use the replies before it. */
export interface Code {
  code: Readonly<Record<Language, string>>;
}

/** Text in Markdown, or a step of the program. */
export type Step = string | Call | Print | Code;

export interface Chapter {
  /** The last part of its address. */
  name: string;
  title: string;
  /** Whom it is for, as the list of chapters says it. */
  whom: string;
  /** Steps before the first that the page does not show. */
  before?: readonly Step[];
  steps: readonly Step[];
  /** What the program prints, in every language. */
  prints: readonly string[];
}

import { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import type { StoredLocation } from './entities/organization.ts';
import { keys } from './keys.ts';
import { getRow, type Row } from './rows.ts';

/*
 * A location that was merged into another one stays as a row that leads there. Whatever reads it for a change refuses it
 * with the id of the location that stands for it; the request is then carried out again with that one. So nothing is read
 * for a request that names no former location, and nothing stores the id of one.
 */

/**
 * The location that stands for one: itself, or the one that it was merged into; undefined when that was deleted. No call,
 * or one for each merge.
 */
export const standingFor = async (
  caller: Caller,
  location: Row<StoredLocation> | undefined,
): Promise<Row<StoredLocation> | undefined> => {
  let standing = location;
  while (standing?.merged_into) {
    standing = await getRow(caller, keys.one(caller, 'LOCATION', standing.merged_into));
  }
  return standing;
};

/** Fields of requests that name locations. */
const NAMING: ReadonlySet<string> = new Set(['location_id', 'location_ids', 'parent_id', 'within', 'into']);

/** Objects whose names are those of clients. */
const FREE: ReadonlySet<string> = new Set(['metadata', 'ui']);

const START_ANSWERS = 'start_answers';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The refusal of a request that names former locations, with those that stand for them. */
export class FormerLocation extends ApiError<string> {
  readonly #standing: ReadonlyMap<unknown, string>;
  readonly #fields: ReadonlySet<string>;

  constructor(refusal: ApiError<string>, standing: ReadonlyMap<string, string>, fields: readonly string[]) {
    super(refusal, refusal.detail);
    this.#standing = standing;
    this.#fields = new Set(fields);
  }

  /** The same request, or a part of it, which names the standing locations. */
  followedIn<Given>(given: Given): Given {
    return this.#followed(given, '', false) as Given;
  }

  #followed(value: unknown, name: string, isNaming: boolean): unknown {
    if (typeof value === 'string') return isNaming ? (this.#standing.get(value) ?? value) : value;
    if (Array.isArray(value)) {
      const followed = value.map((each) => this.#followed(each, name, isNaming));
      return isNaming ? [...new Set(followed)] : followed;
    }
    if (!isObject(value) || FREE.has(name)) return value;
    const isName = (inner: string) =>
      name === START_ANSWERS ? this.#fields.has(`${START_ANSWERS}.${inner}`) : NAMING.has(inner);
    return Object.fromEntries(
      Object.entries(value).map(([inner, each]) => [inner, this.#followed(each, inner, isName(inner))]),
    );
  }
}

/**
 * The refusal of a request that names these rows. One call for each merge of a location among them.
 * @param refusal when none of them leads to a location that is there
 * @param fields that name what is refused
 */
export const refusalOf = async (
  caller: Caller,
  rows: readonly (object | undefined)[],
  refusal: ApiError<string>,
  fields: readonly string[] = [],
): Promise<ApiError<string>> => {
  const standing = new Map<string, string>();
  for (const row of rows) {
    if (!row || !('merged_into' in row)) continue;
    const former = row as Row<StoredLocation>;
    const last = await standingFor(caller, former);
    if (last) standing.set(former.id, last.id);
  }
  return standing.size > 0 ? new FormerLocation(refusal, standing, fields) : refusal;
};

/**
 * Carries a request out. Where it names former locations, it is carried out with those that stand for them.
 * @param given the request, or a part of it that names locations
 */
export const following = async <Given, Result>(
  given: Given,
  carryOut: (given: Given) => Promise<Result> | Result,
): Promise<Result> => {
  try {
    return await carryOut(given);
  } catch (error) {
    if (!(error instanceof FormerLocation)) throw error;
    const followed = error.followedIn(given);
    if (JSON.stringify(followed) === JSON.stringify(given)) throw error;
    return following(followed, carryOut);
  }
};

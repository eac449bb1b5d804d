/** The machine error types of a 422 (contract, "Validation errors"), by Pydantic v2's names. */
export type ProblemType =
  | 'missing'
  | 'extra_forbidden'
  | 'string_type'
  | 'string_too_short'
  | 'string_too_long'
  | 'string_pattern_mismatch'
  | 'int_type'
  | 'int_parsing'
  | 'float_type'
  | 'bool_type'
  | 'bool_parsing'
  | 'uuid_parsing'
  | 'enum'
  | 'literal_error'
  | 'list_type'
  | 'too_short'
  | 'too_long'
  | 'dict_type'
  | 'greater_than_equal'
  | 'less_than_equal'
  | 'datetime_parsing'
  | 'date_from_datetime_parsing'
  | 'union_tag_invalid'
  | 'value_error';

/** One entry of a 422's `detail`. */
export interface Problem {
  /** The path to the offending value: `body`, `query`, `path` or `header` first, array indexes as strings. */
  loc: string[];
  msg: string;
  type: ProblemType;
  /** The offending value; left out when it is long or an object. */
  input?: unknown;
  /** The limits and choices that `msg` mentions. */
  ctx?: Record<string, unknown>;
}

/** A row of a request that is not valid. It fails alone; the other rows are carried out. */
export class MalformedRow {
  readonly problems: Problem[];

  /** @param problems with paths within the row, as if the row were the whole body */
  constructor(problems: Problem[]) {
    this.problems = problems;
  }
}

import type { Problem } from '../../base/problem.ts';
import type { Mappings, TargetRef, ValueMaps } from '../../schemas/integrations/source.ts';
import {
  targetField,
  TARGET_FIELDS,
  type TargetField,
  typeFor,
} from '../../schemas/integrations/target-fields.ts';
import type { Column, FieldType } from '../../schemas/integrations/vendor.ts';

/** The mapping of a source: which columns of its board fill which fields. */
export interface Mapped {
  target_ref: TargetRef;
  mappings: Mappings;
  value_maps: ValueMaps;
  identity_column: string | null;
}

const problem = (loc: string[], msg: string, type: Problem['type'] = 'value_error'): Problem => ({
  loc: ['body', ...loc],
  msg: type === 'value_error' ? `Value error, ${msg}` : msg,
  type,
});

function* fieldProblems(
  { target_ref, mappings }: Mapped,
  columns: ReadonlyMap<string, Column>,
): Generator<Problem> {
  for (const [key, columnId] of Object.entries(mappings)) {
    const loc = ['mappings', key];
    const field = targetField(target_ref, key);
    const column = columns.get(columnId);
    if (!field) {
      yield problem(loc, `${target_ref} have no such field`);
    } else if (!column) {
      yield problem(loc, 'the board has no such column');
    } else if (typeFor(field, column) === undefined) {
      yield problem(loc, `the column cannot fill a field of type ${field.type}`);
    }
  }
}

function* requiredProblems({ target_ref, mappings }: Mapped): Generator<Problem> {
  for (const { key, required } of TARGET_FIELDS[target_ref]) {
    if (required && !Object.hasOwn(mappings, key)) {
      yield problem(['mappings', key], 'Field required', 'missing');
    }
  }
}

function* valueProblems({ target_ref, mappings, value_maps }: Mapped): Generator<Problem> {
  for (const [key, values] of Object.entries(value_maps)) {
    const field = targetField(target_ref, key);
    if (!field || !Object.hasOwn(mappings, key)) {
      yield problem(['value_maps', key], 'no column fills this field');
      continue;
    }
    for (const [from, to] of Object.entries(values)) {
      const isTaken = to === null ? !field.required : field.schema.safeParse(to).success;
      if (!isTaken) yield problem(['value_maps', key, from], `not a value of the field ${key}`);
    }
  }
}

/**
 * What keeps a source from being synced.
 * @param columns those of the board, of the level that the source reads
 * @returns the problems of a request's body; `[]` when it can be synced
 */
export const mappingProblems = (mapped: Mapped, columns: readonly Column[]): Problem[] => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const { identity_column } = mapped;
  return [
    ...requiredProblems(mapped),
    ...fieldProblems(mapped, byId),
    ...valueProblems(mapped),
    ...(identity_column !== null && !byId.has(identity_column)
      ? [problem(['identity_column'], 'the board has no such column')]
      : []),
  ];
};

/** How one field is filled. */
export interface FilledField {
  field: TargetField;
  column_id: string;
  /** How the column's value is read. */
  type: FieldType;
  /** The value for each text of the column, by the folded text. */
  values: ReadonlyMap<string, unknown>;
}

/** How the fields of a source are filled from a board that it fits. */
export interface Plan {
  target_ref: TargetRef;
  identity_column: string | null;
  fields: FilledField[];
  /** The columns that have to be read. */
  column_ids: string[];
}

/** The form in which texts of a value map are compared. */
export const foldedText = (text: string): string => text.trim().toLowerCase();

/** Undefined where the board no longer fits, such as after a column was deleted. */
export const planOf = (mapped: Mapped, columns: readonly Column[]): Plan | undefined => {
  if (mappingProblems(mapped, columns).length > 0) return undefined;
  const byId = new Map(columns.map((column) => [column.id, column]));
  const fields = Object.entries(mapped.mappings).map(([key, column_id]): FilledField => {
    const field = targetField(mapped.target_ref, key)!;
    const values = Object.entries(mapped.value_maps[key] ?? {});
    return {
      field,
      column_id,
      type: typeFor(field, byId.get(column_id)!)!,
      values: new Map(values.map(([from, to]) => [foldedText(from), to])),
    };
  });
  const { target_ref, identity_column } = mapped;
  const column_ids = [
    ...new Set([...fields.map(({ column_id }) => column_id), ...(identity_column ? [identity_column] : [])]),
  ];
  return { target_ref, identity_column, fields, column_ids };
};

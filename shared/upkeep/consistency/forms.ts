import type * as z from 'zod';
import type { Caller } from '../../base/caller.ts';
import { projectionOf } from '../../schemas/projection.ts';
import { FORM, formAt, formOf, type Stored, upgraded } from '../../table/forms.ts';
import { kindOf, type RowKind } from '../../table/keys.ts';
import { storedRowsOf } from '../../table/walk.ts';
import { type Difference, idOf } from './row-checks.ts';
import type { Shape } from './shapes/shape.ts';
import { SHOWN } from './shapes/shown.ts';
import { STORED } from './shapes/stored.ts';

/** The shapes of the rows that an export holds. */
export const SHAPES: Partial<Record<RowKind, Shape>> = { ...STORED, ...SHOWN };

/** The attributes of a row that it lacks, or that are something else than its shape says. Nobody reads what that does not name. */
const wrongAttributes = (kind: RowKind, row: Stored): string[] => {
  const { schema, except = {} } = SHAPES[kind] ?? {};
  return Object.entries<z.ZodType>(schema?.shape ?? {})
    .filter(
      ([name, attribute]) =>
        !(name in except) && !attribute.safeParse(projectionOf(attribute)(row[name])).success,
    )
    .map(([name]) => name);
};

/** Why a stored row cannot be read by this release, or not as it was meant; undefined where nothing is wrong. */
export const faultOf = (row: Stored): Pick<Difference, 'what' | 'stored' | 'found'> | undefined => {
  const kind = kindOf(row);
  if (!kind) return { what: 'row of no kind', stored: Object.keys(row), found: null };
  const [form, known] = [formOf(row), formAt(row)];
  if (form > known)
    return { what: 'row of a newer release', stored: { [FORM]: form }, found: { [FORM]: known } };
  let names: string[];
  try {
    names = wrongAttributes(kind, upgraded(row));
  } catch (error) {
    return { what: `${kind} that cannot be upgraded`, stored: { [FORM]: form }, found: String(error) };
  }
  if (names.length === 0) return undefined;
  const stored = Object.fromEntries(names.map((name) => [name, row[name]]));
  return { what: `attributes of ${kind}`, stored, found: 'something else by its schema' };
};

/**
 * Finds the rows of an organization that this release does not understand: of no kind that it knows, of a newer form, or
 * without what clients are shown. Nobody can repair them. See `walk.ts` for the rows that are read.
 * @returns for each row what is wrong; undefined where nothing is
 */
export const checkForms = async function* (caller: Caller): AsyncGenerator<Difference | undefined> {
  for await (const row of storedRowsOf(caller)) {
    const fault = faultOf(row);
    yield fault && { ...fault, id: idOf(row) };
  }
};

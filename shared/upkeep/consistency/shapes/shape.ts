import * as z from 'zod';
import type { Lacking } from '../../../schemas/projection.ts';

/** What the attributes of a kind's rows are: those of the schema, except the names that are not stored as they are shown. */
export interface Shape {
  schema: z.ZodObject;
  except: Readonly<Record<string, true>>;
}

/** The shape of rows that clients see almost as they are stored. */
export const shape =
  <Row extends object>() =>
  <Schema extends z.ZodObject>(
    schema: Schema,
    except: Record<Lacking<z.output<Schema>, Row> & string, true>,
  ): Shape => ({ schema, except });

/** The names that a type declares one by one. */
type Declared<Row> = keyof {
  [Name in keyof Row as object extends Record<Name, true> ? never : Name]: true;
};

/** Schemas that take every value that the row can have. */
type Fitting<Row, Attributes> = {
  [Name in keyof Attributes]: Name extends keyof Row
    ? Row[Name] extends z.output<Attributes[Name]>
      ? Attributes[Name]
      : never
    : never;
};

/** The shape of rows that clients do not see as they are stored: the compiler asks for each attribute of their type. */
export const attributes =
  <Row extends object>() =>
  <Attributes extends Record<Declared<Row>, z.ZodType>>(
    named: Attributes & Fitting<Row, Attributes>,
  ): Shape => ({ schema: z.object(named), except: {} });

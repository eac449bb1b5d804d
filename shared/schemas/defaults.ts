import * as z from 'zod';

/** What fields of a body are when a request leaves them out; those without a default are not included. */
type Defaults<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape as Shape[Name] extends z.ZodDefault ? Name : never]: z.output<Shape[Name]>;
};

export const defaultsOf = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>): Defaults<Shape> =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, field.def.defaultValue]] : [],
    ),
  ) as Defaults<Shape>;

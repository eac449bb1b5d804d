import * as z from 'zod';
import { ExternalRef } from './common.ts';

/** What its `200` means. */
const UPSERTED = 'There was one with this `external_ref`. It now is as the request says.';

/** A field of a POST without its initial value. */
type Given<Field> = Field extends z.ZodDefault<infer Inner> ? z.ZodOptional<Inner> : Field;

/**
 * What an operation declares that creates the resource with an `external_ref`, or changes it. A field that the body
 * leaves out is not there, and has no initial value: a change must not set it.
 * @param name of the resource
 * @param created the body of its POST
 */
export const upsertOf = <Fields extends z.core.$ZodLooseShape>(
  name: string,
  created: z.ZodObject<Fields, z.core.$strict>,
) => ({
  params: z.strictObject({
    external_ref: ExternalRef.meta({
      description: 'Your own id for the resource, URL-encoded.',
      examples: ['CRANE-7'],
    }),
  }),
  body: z
    .strictObject(
      Object.fromEntries(
        Object.entries(created.shape).map(([field, schema]) => [
          field,
          schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType).optional() : schema,
        ]),
      ) as { [Name in keyof Fields]: Given<Fields[Name]> },
    )
    .meta({ id: `${name}Upsert` }),
  guarded: true as const,
  success: 201 as const,
  existing: 200 as const,
  existingMeans: UPSERTED,
});

/** What such an operation says. */
export const UPSERT_DESCRIPTION =
  'Creates the resource with this `external_ref`, or changes the one that has it. `201` with a new one, `200` with the one that was there. The body is that of the POST; its `external_ref` can be left out, and another one than in the path is a `422`. A new resource gets the defaults of the POST for what the body leaves out. In a change, what the body leaves out stays as it is, and what it has is set as by a PATCH, so `metadata` is merged and lists are replaced. Send the same request as often as you like: when nothing differs, nothing is changed and no event is sent. Two requests at the same time make one resource. With a version in `If-Match` nothing is created: without a resource the reply is a `404`.';

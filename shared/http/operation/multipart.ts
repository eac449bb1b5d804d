import type * as z from 'zod';
import { type FileDeclaration, type ParsedForm, parseForm, type UploadedFile } from '../request/form.ts';

/** A `multipart/form-data` body: its text fields as a schema, its files by name. */
export interface Multipart<
  Fields extends z.ZodObject = z.ZodObject,
  Files extends Record<string, FileDeclaration> = Record<string, FileDeclaration>,
  Json extends z.ZodType | undefined = z.ZodType | undefined,
> {
  kind: 'multipart';
  fields: Fields;
  files: Files;
  /** The schema of a JSON body, where one is accepted in place of the form. */
  json: Json;
  /** Reads a body of this form. It is part of the declaration, so that only functions with a form bundle the parser. */
  read: (contentType: string, body: Uint8Array) => ParsedForm;
}

/** What an operation's logic gets as the body. */
export type MultipartValue<Form> =
  Form extends Multipart<infer Fields, infer Files, infer Json>
    ?
        | (z.output<Fields> & {
            [Name in keyof Files]: Files[Name] extends { maxFiles: number }
              ? UploadedFile[]
              : Files[Name] extends { required: true }
                ? UploadedFile
                : UploadedFile | undefined;
          })
        | (Json extends z.ZodType ? z.output<Json> : never)
    : never;

/** Declares a form. */
export const multipart = <
  const Fields extends z.ZodObject,
  const Files extends Record<string, FileDeclaration>,
>(
  fields: Fields,
  files: Files,
): Multipart<Fields, Files, undefined> => ({
  kind: 'multipart',
  fields,
  files,
  json: undefined,
  read: (contentType, body) => parseForm({ fields, files }, contentType, body),
});

/** Declares a body that is a form or JSON, by its content type. */
export const formOrJson = <
  Fields extends z.ZodObject,
  Files extends Record<string, FileDeclaration>,
  Json extends z.ZodType,
>(
  form: Multipart<Fields, Files, undefined>,
  json: Json,
): Multipart<Fields, Files, Json> => ({ ...form, json });

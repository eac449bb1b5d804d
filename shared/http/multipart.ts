import { MultipartParseError, parseMultipart } from '@remix-run/multipart-parser';
import type * as z from 'zod';
import { badRequest } from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { fromText } from './validation.ts';

/** What is said about a file of a form. */
export interface FileDeclaration {
  required: boolean;
  maxBytes: number;
  /** Told to the reader of the reference; the bytes decide, in the operation. */
  mediaTypes?: readonly string[];
  description: string;
}

/** A `multipart/form-data` body: its text fields as a schema, its files by name. */
export interface Multipart<
  Fields extends z.ZodObject = z.ZodObject,
  Files extends Record<string, FileDeclaration> = Record<string, FileDeclaration>,
  Json extends z.ZodType | undefined = z.ZodType | undefined,
> {
  kind: 'multipart';
  fields: Fields;
  files: Files;
  /** What the body may be instead, as `application/json`. */
  json: Json;
  /** Reads a body of this form. Only functions that declare one carry what that takes. */
  read: (contentType: string, body: Uint8Array) => ParsedForm;
}

export interface UploadedFile {
  /** Without any path, at most 255 characters. */
  name: string;
  bytes: Uint8Array;
}

export type MultipartValue<Form> =
  Form extends Multipart<infer Fields, infer Files, infer Json>
    ?
        | (z.output<Fields> & {
            [Name in keyof Files]: Files[Name] extends { required: true }
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

/** Declares a body that may be a form or JSON: its content type says which. */
export const formOrJson = <
  Fields extends z.ZodObject,
  Files extends Record<string, FileDeclaration>,
  Json extends z.ZodType,
>(
  form: Multipart<Fields, Files, undefined>,
  json: Json,
): Multipart<Fields, Files, Json> => ({ ...form, json });

const PART_OVERHEAD = 64 * 1024;
const MOST_PARTS = 200;
// A name may not be empty, and `undefined` is what the parser calls a part without one.
const NAMELESS = new Set(['', 'undefined']);

// A part's headers are decoded when they are asked for, and may be no UTF-8.
const isUnreadable = (error: unknown): error is Error =>
  error instanceof MultipartParseError ||
  (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** The bare name a file had, whatever path a client sent with it. */
const bareName = (name: string | undefined): string =>
  (name ?? '')
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .slice(0, 255) || 'file';

export interface ParsedForm {
  /** Text fields as their declared types, for the schema to check. */
  fields: Record<string, unknown>;
  files: Record<string, UploadedFile>;
  problems: Problem[];
}

/**
 * Reads a form.
 * @throws ApiError 400 when it is not one: no boundary, cut off, too many or nameless parts.
 */
const parseForm = (
  form: Pick<Multipart, 'fields' | 'files'>,
  contentType: string,
  body: Uint8Array,
): ParsedForm => {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  if (!boundary) throw badRequest('the content type multipart/form-data must name its boundary');
  const texts = new Map<string, string[]>();
  const files: Record<string, UploadedFile> = {};
  const problems: Problem[] = [];
  try {
    const parts = parseMultipart(body, {
      boundary: (boundary[1] ?? boundary[2])!,
      maxFileSize: body.length,
      maxTotalSize: body.length + PART_OVERHEAD,
      maxParts: MOST_PARTS,
    });
    for (const part of parts) {
      const { name } = part;
      if (name === undefined || NAMELESS.has(name)) throw badRequest('a part of the form has no name');
      if (Object.hasOwn(form.files, name)) {
        if (Object.hasOwn(files, name)) throw badRequest(`the form has more than one file '${name}'`);
        files[name] = { name: bareName(part.filename), bytes: part.bytes };
      } else {
        texts.set(name, [...(texts.get(name) ?? []), decode(part.bytes)]);
      }
    }
  } catch (error) {
    if (isUnreadable(error)) throw badRequest(`the form cannot be read: ${error.message}`);
    throw error;
  }
  for (const [name, { required, maxBytes }] of Object.entries(form.files)) {
    const file = files[name];
    if (!file && required) problems.push({ loc: ['body', name], type: 'missing', msg: 'Field required' });
    if (file?.bytes.length === 0) {
      problems.push({ loc: ['body', name], type: 'value_error', msg: 'Value error, file is empty' });
    }
    if (file && file.bytes.length > maxBytes) {
      problems.push({
        loc: ['body', name],
        type: 'value_error',
        msg: `Value error, file should have at most ${maxBytes} bytes`,
        ctx: { max_bytes: maxBytes },
      });
    }
  }
  const shape = form.fields.shape as Record<string, z.core.$ZodType>;
  const fields = Object.fromEntries(
    [...texts].map(([name, values]) => {
      const declared = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, declared ? fromText(declared, values) : values[0]];
    }),
  );
  return { fields, files, problems };
};

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('a field of the form is not valid UTF-8');
  }
};

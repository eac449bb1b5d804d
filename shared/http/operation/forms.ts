import { MultipartParseError, parseMultipart } from '@remix-run/multipart-parser';
import type * as z from 'zod';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { cutTo, isText, trimmed } from '../../base/text.ts';
import type { UploadedFile } from '../../files/uploads.ts';
import { checkCharset, parseJson } from '../request/event.ts';
import { NO_TEXT } from '../request/storable.ts';
import { fromText } from '../request/validation.ts';

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

/** The parts of a form. */
interface FormDeclaration {
  fields: z.ZodObject;
  files: Readonly<Record<string, FileDeclaration>>;
}

/** Declares one file of a form, or several with the same name. */
export interface FileDeclaration {
  required: boolean;
  /** Bytes of each file. */
  maxBytes: number;
  /** How many parts of the form may have the name; without it only one. */
  maxFiles?: number;
  /** Only for the API reference: the operation itself checks the bytes. */
  mediaTypes?: readonly string[];
  description: string;
}

/** A form that was read but whose fields were not checked. */
interface ParsedForm {
  /** The text fields, converted to their declared types. */
  fields: Record<string, unknown>;
  /** A list where the declaration allows several. */
  files: Record<string, UploadedFile | UploadedFile[]>;
  problems: Problem[];
}

const MAX_PARTS = 200;
/** Characters. */
const MAX_FILE_NAME = 255;

// The parser decodes a part's headers only when they are read, so invalid UTF-8 shows late.
const isUnreadable = (error: unknown): error is Error =>
  error instanceof MultipartParseError ||
  (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** A file's name without the path that some clients send with it, and not cut within a character. */
const bareName = (name: string): string =>
  trimmed(cutTo(name.replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, ''), MAX_FILE_NAME)) || 'file';

/**
 * Reads a form: its fields as their declared types, which the schema then checks, and its files.
 * @throws ApiError 400 when the body is not a form: no boundary, cut off, too many parts, a part without a name
 */
const parseForm = (form: FormDeclaration, contentType: string, body: Uint8Array): ParsedForm => {
  const { texts, sent, problems: unnamed } = readParts(form, boundaryOf(contentType), body);
  const declared = Object.entries(form.files);
  const problems = [
    ...unnamed,
    ...declared.flatMap(([name, declaration]) => fileProblems(name, declaration, sent.get(name) ?? [])),
  ];
  const files = Object.fromEntries(
    declared.flatMap(([name, { maxFiles }]): [string, UploadedFile | UploadedFile[]][] => {
      const found = sent.get(name) ?? [];
      if (maxFiles !== undefined) return [[name, found]];
      return found[0] ? [[name, found[0]]] : [];
    }),
  );
  const shape = form.fields.shape as Record<string, z.core.$ZodType>;
  const fields = Object.fromEntries(
    [...texts].map(([name, values]) => {
      const declared = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, declared ? fromText(declared, values) : values[0]];
    }),
  );
  return { fields, files, problems };
};

const boundaryOf = (contentType: string): string => {
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  if (!found) throw errors.formNotReadable('the content type names no boundary');
  return (found[1] ?? found[2])!;
};

const readParts = (form: FormDeclaration, boundary: string, body: Uint8Array) => {
  const texts = new Map<string, string[]>();
  const sent = new Map<string, UploadedFile[]>();
  const problems: Problem[] = [];
  try {
    const parts = parseMultipart(body, {
      boundary,
      maxFileSize: body.length,
      maxTotalSize: body.length,
      maxParts: MAX_PARTS,
    });
    for (const part of parts) {
      const { name } = part;
      if (!name) throw errors.formNotReadable('a part has no name');
      if (Object.hasOwn(form.files, name)) {
        const { maxFiles = 1 } = form.files[name]!;
        const before = sent.get(name) ?? [];
        if (before.length === maxFiles)
          throw errors.formNotReadable(
            `it has more than ${maxFiles === 1 ? 'one file' : `${maxFiles} files`} '${name}'`,
          );
        const { filename = '' } = part;
        if (!isText(filename)) problems.push({ loc: ['body', name], type: 'value_error', msg: NO_TEXT });
        sent.set(name, [...before, { name: bareName(filename), bytes: part.bytes }]);
      } else {
        checkCharset(part.headers['content-type'] ?? '');
        texts.set(name, [...(texts.get(name) ?? []), decode(part.bytes)]);
      }
    }
  } catch (error) {
    if (isUnreadable(error)) throw errors.formNotReadable(error.message);
    throw error;
  }
  return { texts, sent, problems };
};

const fileProblems = (
  name: string,
  { required, maxBytes, maxFiles }: FileDeclaration,
  files: readonly UploadedFile[],
): Problem[] => {
  if (required && files.length === 0)
    return [{ loc: ['body', name], type: 'missing', msg: 'Field required' }];
  return files.flatMap(({ bytes }, i): Problem[] => {
    const loc = ['body', name, ...(maxFiles === undefined ? [] : [String(i)])];
    if (bytes.length === 0) return [{ loc, type: 'value_error', msg: 'Value error, file is empty' }];
    if (bytes.length <= maxBytes) return [];
    const msg = `Value error, file should have at most ${maxBytes} bytes`;
    return [{ loc, type: 'value_error', msg, ctx: { max_bytes: maxBytes } }];
  });
};

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw errors.formNotReadable('a field is not valid UTF-8');
  }
};

/** The body of a page's form. It may be sent URL-encoded, as `multipart/form-data`, or as JSON. */
export interface WebForm<Fields extends z.ZodObject = z.ZodObject> {
  kind: 'web_form';
  fields: Fields;
  /** Of the whole body. */
  maxBytes: number;
  /** It is part of the declaration, so that only functions with a form bundle the parsers. */
  read: (contentType: string, body: Uint8Array) => ParsedWebForm;
}

/** The default limit in bytes, enough for the texts of any form without files. */
const MAX_FORM_BYTES = 16 * 1024;

/** Declares a form of a page. */
export const webForm = <const Fields extends z.ZodObject>(
  fields: Fields,
  maxBytes: number = MAX_FORM_BYTES,
): WebForm<Fields> => ({
  kind: 'web_form',
  fields,
  maxBytes,
  read: (contentType, body) => parseWebForm(fields, contentType, body),
});

/** A form that was read but whose fields were not checked. */
interface ParsedWebForm {
  fields: unknown;
  problems: Problem[];
}

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_TYPE = 'application/json';

const parseUrlEncoded = (form: z.ZodObject, body: Uint8Array): Record<string, unknown> => {
  const shape = form.shape as Record<string, z.core.$ZodType>;
  const sent = new URLSearchParams(new TextDecoder().decode(body));
  return Object.fromEntries(
    [...new Set(sent.keys())].map((name) => {
      const values = sent.getAll(name);
      return [name, Object.hasOwn(shape, name) ? fromText(shape[name]!, values) : values[0]];
    }),
  );
};

/**
 * Reads a form as a browser, a mail program (RFC 8058, section 3.1) or a script sends it.
 * @throws ApiError 400 when the body has another type, or is not what its type says
 */
const parseWebForm = (form: z.ZodObject, contentType: string, body: Uint8Array): ParsedWebForm => {
  checkCharset(contentType);
  const [type = ''] = contentType.toLowerCase().split(';');
  switch (type.trim()) {
    case URL_ENCODED:
      return { fields: parseUrlEncoded(form, body), problems: [] };
    case MULTIPART: {
      const { fields, problems } = parseForm({ fields: form, files: {} }, contentType, body);
      return { fields, problems };
    }
    case JSON_TYPE:
      return { fields: parseJson(body), problems: [] };
    default:
      throw errors.wrongContentType(URL_ENCODED, MULTIPART, JSON_TYPE);
  }
};

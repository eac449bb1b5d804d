import { MultipartParseError, parseMultipart } from '@remix-run/multipart-parser';
import type * as z from 'zod';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { cutTo, isText, trimmed } from '../../base/text.ts';
import { fromText } from './from-text.ts';
import { checkCharset } from './headers.ts';
import { NO_TEXT } from './storable.ts';

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

export interface UploadedFile {
  /** Without any path, at most 255 characters. */
  name: string;
  bytes: Uint8Array;
}

/** A form that was read but whose fields were not checked. */
export interface ParsedForm {
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
export const parseForm = (form: FormDeclaration, contentType: string, body: Uint8Array): ParsedForm => {
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

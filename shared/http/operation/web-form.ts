import type * as z from 'zod';
import { type ParsedWebForm, parseWebForm } from '../request/web-form.ts';

/** The body of a page's form, by whichever means it is sent: URL-encoded, as `multipart/form-data`, or as JSON. */
export interface WebForm<Fields extends z.ZodObject = z.ZodObject> {
  kind: 'web_form';
  fields: Fields;
  /** Of the whole body. */
  maxBytes: number;
  /** It is part of the declaration, so that only functions with a form bundle the parsers. */
  read: (contentType: string, body: Uint8Array) => ParsedWebForm;
}

/** More than the texts of any form without files. */
const MAX_BYTES = 16 * 1024;

/** Declares a form of a page. */
export const webForm = <const Fields extends z.ZodObject>(
  fields: Fields,
  maxBytes: number = MAX_BYTES,
): WebForm<Fields> => ({
  kind: 'web_form',
  fields,
  maxBytes,
  read: (contentType, body) => parseWebForm(fields, contentType, body),
});

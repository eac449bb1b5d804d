import type * as z from 'zod';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { parseJson } from './bytes.ts';
import { parseForm } from './form.ts';
import { fromText } from './from-text.ts';
import { checkCharset } from './headers.ts';

/** A form that was read but whose fields were not checked. */
export interface ParsedWebForm {
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
export const parseWebForm = (form: z.ZodObject, contentType: string, body: Uint8Array): ParsedWebForm => {
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

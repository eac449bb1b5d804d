import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Multipart } from '../operation/multipart.ts';
import { isMultipart, type Operation } from '../operation/operation.ts';
import { bytesOf, parseJson } from './bytes.ts';
import type { UploadedFile } from './form.ts';
import { checkCharset, header } from './headers.ts';
import { unstorable } from './storable.ts';

const NO_BODY = z.strictObject({}).optional();

/** A body that was read but not checked. */
export interface RawBody {
  /** The schema that `input` must satisfy. */
  schema: z.ZodType;
  input: unknown;
  /** Equal for two bodies with the same content; part of the request's fingerprint. */
  identity: unknown;
  problems: Problem[];
  /** The schema must not check `input`: it may be nested too deeply, for example. */
  isUnreadable?: boolean;
  /** The files of a form, by name. */
  files?: Record<string, unknown>;
}

/** Reads a body as JSON or as a form, by its content type. @throws ApiError 400 when it is neither */
export const readBody = (operation: Operation, event: APIGatewayProxyEvent): RawBody => {
  const bytes = bytesOf(event);
  const contentType = header(event, 'content-type') ?? '';
  if (bytes.length > 0) checkCharset(contentType);
  const declared = operation.body;
  const isJson = /^application\/json\s*(;|$)/i.test(contentType);
  const json = isMultipart(declared) ? declared.json : declared;
  if (isMultipart(declared) && !(json && isJson)) {
    if (!/^multipart\/form-data\b/i.test(contentType)) {
      throw errors.wrongContentType('multipart/form-data', ...(json ? ['application/json'] : []));
    }
    return formBody(declared, contentType, bytes);
  }
  const schema = json ?? NO_BODY;
  if (bytes.length === 0) return { schema, input: undefined, identity: null, problems: [] };
  if (json && !isJson) throw errors.wrongContentType('application/json');
  const input = parseJson(bytes);
  const problems = unstorable(input);
  return { schema, input, identity: input, problems, isUnreadable: problems.length > 0 };
};

const formBody = (form: Multipart, contentType: string, bytes: Uint8Array): RawBody => {
  const { fields, files, problems } = form.read(contentType, bytes);
  const unstorableFields = unstorable(fields);
  const hashed = ({ name, bytes }: UploadedFile) => [name, sha256(bytes)];
  const fileHashes = Object.entries(files).map(([name, sent]) => [
    name,
    Array.isArray(sent) ? sent.map(hashed) : hashed(sent),
  ]);
  return {
    schema: form.fields,
    input: fields,
    identity: [fields, Object.fromEntries(fileHashes)],
    problems: [...problems, ...unstorableFields],
    isUnreadable: unstorableFields.length > 0,
    files,
  };
};

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';

/*
 * The engine of the storage checks no signatures, so what stands before it does, as S3 does: with the signer of the SDK,
 * which signs the request once more as it came.
 */

/** Why S3 refuses a request: its code, and what it says. */
export interface Refusal {
  status: 400 | 403;
  code: string;
  message: string;
}

const denied = (message = 'Access Denied'): Refusal => ({ status: 403, code: 'AccessDenied', message });

const MISMATCH: Refusal = {
  status: 403,
  code: 'SignatureDoesNotMatch',
  message:
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
};

/** How far the clock of who signs may be ahead, in milliseconds. */
const CLOCKS_DIFFER_MS = 15 * 60_000;

/** What a presigned URL says about its signature. The signer adds it again. */
const OF_SIGNATURE = [
  'X-Amz-Algorithm',
  'X-Amz-Content-Sha256',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
  'X-Amz-Security-Token',
] as const;

/** By `20261121T090000Z`, the form of times in signatures. Epoch milliseconds; NaN for another text. */
const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

let config: S3Client['config'] | undefined;

/** What the service in this process signs by. */
const signedBy = () => {
  config ??= new S3Client({}).config;
  const { credentials, region, sha256 } = config;
  return { credentials, region, sha256, service: 's3' };
};

interface Request {
  method: string;
  /** As it came, with its query. */
  path: string;
  headers: IncomingHttpHeaders;
}

/** The parameters of a query. One that is repeated has all of its values. */
const bagOf = (query: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length > 1 ? values : values[0]!];
    }),
  );

/**
 * Why S3 would refuse a request by a presigned URL; undefined when it would take it.
 * @param host that the URL was signed for
 */
export const urlRefusal = async (
  { method, path, headers }: Request,
  host: string,
  now: number,
): Promise<Refusal | undefined> => {
  const [pathname = '', search = ''] = path.split('?', 2);
  const query = new URLSearchParams(search);
  const [date, expires, signature, names] = [
    query.get('X-Amz-Date') ?? '',
    Number(query.get('X-Amz-Expires') ?? Number.NaN),
    query.get('X-Amz-Signature') ?? '',
    (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
  ];
  const signedAt = timeOf(date);
  if (!signature || Number.isNaN(signedAt) || !(expires >= 1) || !names.includes('host')) return denied();
  // A header that was not signed may not change what the request does.
  const isUnsigned = (name: string) => name.startsWith('x-amz-') && !names.includes(name);
  if (Object.keys(headers).some(isUnsigned))
    return denied('There were headers present which were not signed');
  if (now > signedAt + expires * 1_000) return denied('Request has expired');
  if (now < signedAt - CLOCKS_DIFFER_MS) return denied('Request is not yet valid');
  for (const name of OF_SIGNATURE) query.delete(name);
  const given: IncomingHttpHeaders = { ...headers, host };
  const signed = names.map((name) => [name, String(given[name] ?? '')] as const);
  const hostname = host.replace(/:\d+$/, '');
  const request = new HttpRequest({
    method,
    protocol: 'http:',
    hostname,
    path: pathname,
    query: bagOf(query),
    headers: Object.fromEntries(signed),
  });
  const again = await new S3RequestPresigner(signedBy()).presign(request, {
    expiresIn: expires,
    signingDate: new Date(signedAt),
    signableHeaders: new Set(names),
    unhoistableHeaders: new Set(names),
  });
  return isEqual(String(again.query?.['X-Amz-Signature']), signature) ? undefined : MISMATCH;
};

/** Fields that no condition has to allow (Amazon S3, "Creating a POST policy"). */
const FREE_FIELDS = new Set(['policy', 'x-amz-signature', 'file']);

interface Policy {
  expiration: string;
  conditions: (Record<string, string> | [string, string | number, string | number])[];
}

/** The name of the field that a condition is about, and whether a value meets it. */
const testOf = (
  condition: Policy['conditions'][number],
): { name: string; isMet: (value: string) => boolean } | undefined => {
  if (!Array.isArray(condition)) {
    const [[name, wanted] = ['', '']] = Object.entries(condition);
    return { name: name.toLowerCase(), isMet: (value) => value === wanted };
  }
  const [kind, field, wanted] = condition;
  const name = String(field).replace(/^\$/, '').toLowerCase();
  if (kind === 'eq') return { name, isMet: (value) => value === wanted };
  if (kind === 'starts-with') return { name, isMet: (value) => value.startsWith(String(wanted)) };
  return undefined;
};

/** Whether a file has a size that the policy allows. */
const sizeRefusal = ({ conditions }: Policy, size: number): Refusal | undefined => {
  for (const condition of conditions) {
    if (!Array.isArray(condition) || condition[0] !== 'content-length-range') continue;
    const [, least, most] = condition;
    if (size < Number(least))
      return { status: 400, code: 'EntityTooSmall', message: 'Your proposed upload is too small' };
    if (size > Number(most))
      return { status: 400, code: 'EntityTooLarge', message: 'Your proposed upload is too large' };
  }
  return undefined;
};

/**
 * Why S3 would refuse a form that stores a file (Amazon S3, "Browser-Based Uploads Using POST"); undefined when it would
 * take it.
 * @param bucket that the form is sent to
 */
export const formRefusal = async (
  form: FormData,
  bucket: string,
  now: number,
): Promise<Refusal | undefined> => {
  const fields = new Map([['bucket', bucket]]);
  let size = 0;
  for (const [name, value] of form) {
    // The engine might take the other one of two.
    if (fields.has(name.toLowerCase()) && name !== 'bucket') return denied();
    if (typeof value === 'string') fields.set(name.toLowerCase(), value);
    else size = value.size;
  }
  if (fields.get('bucket') !== bucket) return denied();
  const [policy = '', signature = '', date = ''] = ['policy', 'x-amz-signature', 'x-amz-date'].map((name) =>
    fields.get(name),
  );
  const signedAt = timeOf(date);
  if (!policy || !signature || Number.isNaN(signedAt)) return denied();
  const again = await new SignatureV4(signedBy()).sign(policy, { signingDate: new Date(signedAt) });
  if (!isEqual(again, signature)) return MISMATCH;
  const read = JSON.parse(Buffer.from(policy, 'base64').toString()) as Policy;
  if (now > Date.parse(read.expiration)) return denied('Invalid according to Policy: Policy expired.');
  const tests = read.conditions.flatMap((condition) => testOf(condition) ?? []);
  const isMet = tests.every(({ name, isMet: meets }) => meets(fields.get(name) ?? ''));
  const allowed = new Set(tests.map(({ name }) => name));
  const isAllowed = [...fields.keys()].every((name) => allowed.has(name) || FREE_FIELDS.has(name));
  if (!isMet || !isAllowed) return denied('Invalid according to Policy: Policy Condition failed');
  return sizeRefusal(read, size);
};

/** What S3 answers (Amazon S3, "Error responses"). */
export const refusalXml = ({ code, message }: Refusal): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

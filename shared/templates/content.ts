import { gunzipSync, gzipSync } from 'node:zlib';
import type { Caller } from '../base/caller.ts';
import { canonicalJson, sha256 } from '../base/encoding.ts';
import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { evaluate } from '../domain/content/conditions/evaluate.ts';
import { type ContentIndex, indexContent } from '../domain/content/content-index.ts';
import { progressOf } from '../domain/content/progress.ts';
import { structureProblems } from '../domain/content/publish/structure.ts';
import type { Content } from '../schemas/templates/content.ts';
import type { ContentRow } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { Stale } from '../table/retry.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** Bytes of a compressed content: a row's 400 KB (Amazon DynamoDB quotas), less room for its other attributes. */
const MAX_COMPRESSED_BYTES = 350 * 1024;

/** Bytes of a content's JSON: a reply's 6 MB (AWS Lambda quotas), less room for the rest of the reply. */
export const MAX_CONTENT_BYTES = 5_000_000;

/** A content that is ready to be stored, with the values that its version's row takes from it. */
export interface EncodedContent {
  content: Content;
  bytes: Uint8Array;
  hash: string;
  /** The progress of a new inspection: fields that take an answer, and required ones among them. */
  counts: { total: number; required: number };
}

const tooLarge = (loc: string[], max: number, actual: number, what: string): Problem => ({
  loc,
  type: 'too_long',
  msg: `Content should have at most ${max} bytes ${what}, not ${actual}`,
  ctx: { max_length: max, actual_length: actual },
});

/**
 * Checks the structure of a content and makes it ready to be stored.
 * @param within the path of the content in the request, `[]` when it is not part of one
 * @throws ApiError 422 with every problem of its structure, or its size
 */
export const encodeContent = (content: Content, within: readonly string[] = []): EncodedContent => {
  const at = (problems: Problem[]) =>
    errors.contentInvalid(problems.map((problem) => ({ ...problem, loc: [...within, ...problem.loc] })));
  const problems = structureProblems(content);
  if (problems.length > 0) throw at(problems);
  const json = canonicalJson(content);
  const size = Buffer.byteLength(json);
  if (size > MAX_CONTENT_BYTES) throw at([tooLarge(['content'], MAX_CONTENT_BYTES, size, 'of JSON')]);
  const bytes = gzipSync(json);
  if (bytes.length > MAX_COMPRESSED_BYTES) {
    throw at([tooLarge(['content'], MAX_COMPRESSED_BYTES, bytes.length, 'compressed')]);
  }
  const { total, required } = progressOf(evaluate(indexContent(content), []));
  return { content, bytes, hash: sha256(json), counts: { total, required } };
};

/** Writes the content of a version. It needs no condition: the version's own row is written with one. */
export const contentWrite = (caller: Caller, templateId: string, { bytes, hash }: EncodedContent): Write =>
  write.put({
    ...keys.content(caller, templateId),
    body: bytes,
    content_hash: hash,
  } satisfies Row<ContentRow>);

interface DecodedContent {
  index: ContentIndex;
  /** Bytes of JSON. */
  size: number;
}

/** The content in a row. @throws Stale when it is not, or no longer, the content with this hash */
export const decodeContent = (row: ContentRow | undefined, hash: string): DecodedContent => {
  if (row?.content_hash !== hash) throw new Stale();
  const json = gunzipSync(row.body);
  return { index: indexContent(JSON.parse(json.toString()) as Content), size: json.length };
};

/** Bytes of the JSON of cached contents. In memory they take about four times as much. */
const MAX_CACHED_BYTES = 20_000_000;

/** Contents by organization, version and hash. The organization in the name keeps organizations apart here as well. */
const cache = new Map<string, DecodedContent>();
let cachedBytes = 0;

const remember = (name: string, entry: DecodedContent): void => {
  forget(name);
  for (const oldest of cache.keys()) {
    if (cachedBytes + entry.size <= MAX_CACHED_BYTES) break;
    forget(oldest);
  }
  cache.set(name, entry);
  cachedBytes += entry.size;
};

const forget = (name: string): void => {
  cachedBytes -= cache.get(name)?.size ?? 0;
  cache.delete(name);
};

/**
 * A version's content with its index. One call, none when it is cached. The result is shared and must not be changed.
 * @param hash the `content_hash` of the version's row
 * @throws Stale when the draft's content has changed since that row was read
 */
export const contentOf = async (caller: Caller, templateId: string, hash: string): Promise<ContentIndex> => {
  const name = `${caller.org_id} ${templateId} ${hash}`;
  const entry =
    cache.get(name) ?? decodeContent(await getRow(caller, keys.content(caller, templateId)), hash);
  // A cached one is stored again, so that the least recently used content is removed first.
  remember(name, entry);
  return entry.index;
};

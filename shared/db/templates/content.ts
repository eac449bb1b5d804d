import { gunzipSync, gzipSync } from 'node:zlib';
import type { Caller } from '../../base/caller.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { unprocessable } from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { evaluate } from '../../domain/content/conditions.ts';
import { type ContentIndex, indexContent } from '../../domain/content/content-index.ts';
import { progressOf } from '../../domain/content/progress.ts';
import { structureProblems } from '../../domain/content/publish/publish.ts';
import type { Content } from '../../schemas/templates/content.ts';
import { keys, sha256 } from '../table/keys.ts';
import { Stale } from '../table/retry.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** A row holds 400 KB (DynamoDB quotas), a reply 6 MB (Lambda quotas); both with room for what stands beside. */
const MOST_COMPRESSED = 350 * 1024;
export const MOST_CONTENT = 5_000_000;

/** A content ready to be stored, and what its version's row says of it. */
export interface EncodedContent {
  content: Content;
  bytes: Uint8Array;
  hash: string;
  /** Of the fields an inspection begins with, those that take an answer, and of these the required ones. */
  counts: { total: number; required: number };
}

export interface ContentRow {
  body: Uint8Array;
  content_hash: string;
}

const tooLarge = (loc: string[], most: number, actual: number, what: string): Problem => ({
  loc,
  type: 'too_long',
  msg: `Content should have at most ${most} bytes ${what}, not ${actual}`,
  ctx: { max_length: most, actual_length: actual },
});

/**
 * A content checked for its structure and made ready to be stored.
 * @param within where the content stands in the request, `[]` where it does not
 * @throws ApiError 422 with every problem of its structure, or its size
 */
export const encodeContent = (content: Content, within: readonly string[] = []): EncodedContent => {
  const at = (problems: Problem[]) =>
    unprocessable(problems.map((problem) => ({ ...problem, loc: [...within, ...problem.loc] })));
  const problems = structureProblems(content);
  if (problems.length > 0) throw at(problems);
  const json = canonicalJson(content);
  const size = Buffer.byteLength(json);
  if (size > MOST_CONTENT) throw at([tooLarge(['content'], MOST_CONTENT, size, 'of JSON')]);
  const bytes = gzipSync(json);
  if (bytes.length > MOST_COMPRESSED) {
    throw at([tooLarge(['content'], MOST_COMPRESSED, bytes.length, 'compressed')]);
  }
  const { total, required } = progressOf(evaluate(indexContent(content), []));
  return { content, bytes, hash: sha256(json), counts: { total, required } };
};

/** The content of a version, over what its draft had before: the version's own row guards both. */
export const contentWrite = (caller: Caller, templateId: string, { bytes, hash }: EncodedContent): Write =>
  write.put({
    ...keys.content(caller, templateId),
    body: bytes,
    content_hash: hash,
  } satisfies Row<ContentRow>);

interface Decoded {
  index: ContentIndex;
  /** Bytes of JSON. */
  size: number;
}

/** What a content's row holds. @throws Stale when that is not, or no longer, the content of this hash */
export const decoded = (row: ContentRow | undefined, hash: string): Decoded => {
  if (row?.content_hash !== hash) throw new Stale();
  const json = gunzipSync(row.body);
  return { index: indexContent(JSON.parse(json.toString()) as Content), size: json.length };
};

/** Bytes of JSON; what they become in memory is some four times as much. */
const MOST_CACHED = 20_000_000;

/** Contents never change under their hash. The organization is part of the name: a cache is no way around the wall. */
const cache = new Map<string, Decoded>();
let cached = 0;

const remember = (name: string, entry: Decoded): void => {
  forget(name);
  for (const oldest of cache.keys()) {
    if (cached + entry.size <= MOST_CACHED) break;
    forget(oldest);
  }
  cache.set(name, entry);
  cached += entry.size;
};

const forget = (name: string): void => {
  cached -= cache.get(name)?.size ?? 0;
  cache.delete(name);
};

/**
 * A version's content, indexed. One call, none while a warm function remembers it; shared by all who ask, so
 * never to be changed.
 * @param hash the `content_hash` of the version's row
 * @throws Stale when the draft's content has moved on since that row was read
 */
export const contentOf = async (caller: Caller, templateId: string, hash: string): Promise<ContentIndex> => {
  const name = `${caller.org_id} ${templateId} ${hash}`;
  const entry =
    cache.get(name) ?? decoded(await getRow<ContentRow>(caller, keys.content(caller, templateId)), hash);
  // Also one that was known: the one used last is the last to go.
  remember(name, entry);
  return entry.index;
};

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { Operation } from '../operation/operation.ts';
import { repliesVersion } from '../operation/versions.ts';
import type { KnownReplies } from '../request/known-replies.ts';

/** Bytes of a reply's digest. */
const DIGEST_BYTES = 12;

/** The same for all equal replies. The table does not keep the order of fields. */
const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest().subarray(0, DIGEST_BYTES).toString('base64url');

/** A reply's entity tag without quotes, and the version in it. */
export interface EntityTag {
  version: string;
  tag: string;
}

/**
 * The entity tag of a resource with a version; undefined for any other value. That of a GET is `<version>-<digest>`,
 * because a reply also shows what changes without the version, such as counters, or whether something is overdue.
 * That of a change is the version alone.
 */
export const entityTagOf = (operation: Operation, value: unknown): EntityTag | undefined => {
  if (!repliesVersion(operation)) return undefined;
  const { version } = value as { version: number };
  const digest = operation.method === 'GET' ? [digestOf(value)] : [];
  return { version: String(version), tag: [version, ...digest].join('-') };
};

/** Whether the client has a reply already. It may name the whole tag, or only the version. */
export const isKnown = ({ version, tag }: EntityTag, known: KnownReplies | undefined): boolean =>
  known === '*' || (known?.some((named) => named === tag || named === version) ?? false);

import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { keptFrom } from '../base/time.ts';
import { contactProblems, linkStatus, NO_REPORTER } from '../domain/issues/public-links.ts';
import * as documents from '../files/documents.ts';
import { type BroughtPhoto, photoWrites } from '../files/documents.ts';
import { clientOf } from '../inspections/setup.ts';
import { assetRecords } from '../places/assets/records.ts';
import { locationRecords } from '../places/locations/records.ts';
import type { NewIssue } from '../schemas/issues/issue.ts';
import { change } from '../table/change.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredIssueCategory, StoredPublicLink } from '../table/entities/issues.ts';
import type { LinkTargets, StoredOrganization } from '../table/entities/organization.ts';
import { standingFor } from '../table/former-locations.ts';
import { keys, nameOfKey } from '../table/keys.ts';
import { getRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { categoryRecords } from './categories.ts';
import { checkedAnswers, documentReferences, newIssue, nextIssueNumber } from './create.ts';

/** Characters of a title that is made from a description. */
const MAX_TITLE = 120;

/** How long a sent form is remembered, in seconds: 30 days. */
const KEPT_SECONDS = 30 * 86_400;

/** A form of a public link, as a stranger sends it. */
export type IssueSubmission = Pick<NewIssue, 'description' | 'answers' | 'media' | 'occurred_at'> & {
  /** Identifies the form. A form that is sent twice makes one issue. At most 100 characters. */
  nonce: string;
  /** Made from the description or the category's name where left out. */
  title?: string;
  reporter: NewIssue['reporter'];
  /** The documents among `answers` and `media` that the report creates. Their files are stored already. */
  photos?: readonly BroughtPhoto[];
};

/** The rows of a public link that works. */
export interface OpenedLink {
  category: StoredIssueCategory;
  link: StoredPublicLink;
  organization: StoredOrganization;
  /** The number of the issue that this form was sent for before; null for a form that was not. */
  sentAs: number | null;
}

const expectActive = (
  category: StoredIssueCategory | undefined,
  link: StoredPublicLink | undefined,
  now: string,
): { category: StoredIssueCategory; link: StoredPublicLink } => {
  const isActive = category?.is_active && link && linkStatus(link, now) === 'active';
  // Visitors learn whose link it is, and not why it does not work.
  if (!isActive) throw errors.notFound('link');
  return { category, link };
};

/**
 * The rows that the page of a public link shows. One call.
 * @param nonce of the sent form
 * @throws ApiError 404 for a link that does not work, whatever the reason
 */
export const openLink = async (
  caller: Caller,
  { category_id, public_link_id }: LinkTargets['issue'],
  nonce?: string,
): Promise<OpenedLink> => {
  const [category, link, organization, sent] = await getRows(caller, [
    categoryRecords.key(caller, category_id),
    keys.publicLink(caller, category_id, public_link_id),
    keys.organization(caller),
    nonce === undefined ? undefined : keys.submission(caller, public_link_id, nonce),
  ]);
  // A sent form is shown as sent, also if it was the last one that the link takes.
  const opened =
    sent && category && link ? { category, link } : expectActive(category, link, new Date().toISOString());
  if (!organization) throw errors.notFound('link');
  return { ...opened, organization, sentAs: sent?.number ?? null };
};

/** The name of the place of a link, as its page shows it; null for a link without one. Then it takes no call. */
export const placeOf = async (
  caller: Caller,
  { location_id }: Pick<StoredPublicLink, 'location_id'>,
): Promise<string | null> => {
  if (!location_id) return null;
  const location = await standingFor(caller, await locationRecords.find(caller, location_id));
  return location?.name ?? null;
};

/** The first line of a description that is not empty. A long one is cut between words. */
const titleFrom = (description: string): string => {
  const line =
    description
      .split('\n')
      .find((each) => each.trim() !== '')
      ?.trim() ?? '';
  if (line.length <= MAX_TITLE) return line;
  const cut = line.slice(0, MAX_TITLE - 1).replace(/\p{Surrogate}$/u, '');
  const end = cut.lastIndexOf(' ');
  return `${(end > MAX_TITLE / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
};

/** What the link's issues are about, and where they are, without an asset, location or client account that was deleted since. */
const locationFor = async (caller: Caller, link: StoredPublicLink) => {
  const asset = link.asset_id ? await assetRecords.find(caller, link.asset_id) : undefined;
  const asset_id = asset?.id ?? null;
  const location_id = link.location_id ?? asset?.location_id;
  if (!location_id && !link.client_account_id)
    return { asset_id, location_id: null, client_account_id: null };
  const [named, client] = await getRows(caller, [
    location_id ? keys.one(caller, 'LOCATION', location_id) : undefined,
    link.client_account_id ? keys.one(caller, 'CLIENT', link.client_account_id) : undefined,
  ]);
  const location = await standingFor(caller, named);
  return {
    asset_id,
    location_id: location?.id ?? null,
    client_account_id: client?.id ?? clientOf({}, { client_account_id: null }, location),
  };
};

/**
 * Creates the issue that a stranger reports by a public link, and counts it, in one transaction. A form makes only one
 * issue, even if it is sent many times at once.
 * @param caller the link's visitor
 * @returns the issue's id, and its number in the organization
 * @throws ApiError 404 for a link that does not work (any more); 422 for answers or a contact that the category or the
 *   link does not accept, loc `["body", "answers" | "reporter", …]`; 400 for a document that does not exist
 */
export const report = (
  caller: Caller,
  { category_id, public_link_id }: LinkTargets['issue'],
  { nonce, title, reporter, photos = [], ...submission }: IssueSubmission,
): Promise<{ issue_id: string; number: number }> => {
  let number: number | undefined;
  return change(caller, async (work) => {
    const sentKey = keys.submission(work, public_link_id, nonce);
    const brought = new Set(photos.map(({ id }) => nameOfKey(documents.key(work, id))));
    const named = documentReferences(work, submission).filter(({ key }) => !brought.has(nameOfKey(key)));
    const [sent, foundCategory, foundLink, ...standing] = await getRows(work, [
      sentKey,
      categoryRecords.key(work, category_id),
      keys.publicLink(work, category_id, public_link_id),
      ...named.map(({ key }) => key),
    ]);
    if (sent) return { writes: [], reply: { issue_id: sent.issue_id, number: sent.number } };
    const { category, link } = expectActive(foundCategory, foundLink, work.now);
    const missing = named.filter((_, position) => !standing[position]);
    if (missing.length > 0) throw errors.referenceNotFound(...new Set(missing.map(({ field }) => field)));
    const contact = merge(NO_REPORTER, link.contact === 'none' ? {} : reporter);
    const faults = contactProblems(link.contact, contact);
    if (faults.length > 0) throw errors.validationFailed(faults);
    const answers = checkedAnswers(category, submission.answers, [...standing, ...photos]);
    number ??= await nextIssueNumber(work);
    const { issue, writes } = await newIssue(work, number, category, {
      ...submission,
      ...(await locationFor(work, link)),
      answers,
      title: title ?? (titleFrom(submission.description) || category.name),
      source: 'public_link',
      public_link_id,
      reporter: contact,
    });
    const { version, submissions_count } = link;
    return {
      writes: [
        // A transaction writes a row only once: the report's own photos are created with their use counted.
        ...writes.filter(({ key }) => !brought.has(nameOfKey(key))),
        ...photoWrites(work, photos),
        write.create({
          ...sentKey,
          issue_id: issue.id,
          number,
          ttl: keptFrom(work.now, KEPT_SECONDS),
        }),
        write.update(
          keys.publicLink(work, category_id, public_link_id),
          { set: { updated_at: work.now }, add: { submissions_count: 1 } },
          hasValues({ version, submissions_count }),
        ),
      ],
      reply: { issue_id: issue.id, number },
    };
  });
};

/** Whether a form has made an issue already. One call. */
export const isSent = async (
  caller: Caller,
  { public_link_id }: LinkTargets['issue'],
  nonce: string,
): Promise<boolean> => {
  const [sent] = await getRows(caller, [keys.submission(caller, public_link_id, nonce)]);
  return sent !== undefined;
};

import type { ReportDocument } from '../document/document.ts';

/** The most characters of a link's address. Browsers open no longer ones, and PDF holds no longer ones. */
const MAX_HREF_LENGTH = 2_000;

/** Whether an object of the document is a photo. Its anchor is where it stands in the appendix. */
const isPhoto = (value: object): boolean => 'reference' in value && 'size' in value;

/** The anchors of everything that is drawn; the second place of an anchor does not count, for a link has one target. */
const anchorsIn = (value: unknown, anchors = new Set<string>()): Set<string> => {
  if (typeof value !== 'object' || value === null) return anchors;
  if ('anchor' in value && typeof value.anchor === 'string' && !isPhoto(value)) anchors.add(value.anchor);
  for (const member of Object.values(value)) anchorsIn(member, anchors);
  return anchors;
};

/** The names of members that link to an anchor, or have the anchor of a photo. */
const LINKS = new Set(['to', 'from', 'anchor']);

/**
 * The document without the links that a PDF cannot hold: to a part that this document does not have, and to an address
 * that is too long or none. Their texts stay.
 */
export const linkable = (document: ReportDocument): ReportDocument => {
  const anchors = anchorsIn({ ...document, masthead: null });
  for (const { anchor } of document.appendix?.photos ?? []) anchors.add(anchor);
  const link = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(link);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (LINKS.has(name) && typeof member === 'string' && !anchors.has(member)) return [name, null];
        if (name === 'href' && typeof member === 'string' && !isAddress(member)) return [name, null];
        return [name, link(member)];
      }),
    );
  };
  return link(document) as ReportDocument;
};

const isAddress = (href: string): boolean => href.length <= MAX_HREF_LENGTH && URL.canParse(href);

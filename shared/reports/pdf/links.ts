import type { ReportDocument } from '../document/document.ts';

/** The most characters of a link's address. Browsers open no longer ones, and PDF holds no longer ones. */
const MAX_HREF_LENGTH = 2_000;

const isAddress = (href: string): boolean => href.length <= MAX_HREF_LENGTH && URL.canParse(href);

/** Whether an object of the document is a photo. Its anchor is where it stands in the appendix. */
const isPhoto = (value: object): boolean => 'reference' in value && 'size' in value;

/** The anchors of everything that is drawn but photos. */
const anchorsIn = (value: unknown, anchors = new Set<string>()): Set<string> => {
  if (typeof value !== 'object' || value === null) return anchors;
  if ('anchor' in value && typeof value.anchor === 'string' && !isPhoto(value)) anchors.add(value.anchor);
  for (const member of Object.values(value)) anchorsIn(member, anchors);
  return anchors;
};

/**
 * The document with only the links that a PDF can hold. A link to a part that this document does not have is dropped,
 * as is one to an address that is too long or none; their texts stay. Where two blocks show the same part, links lead
 * to the first.
 */
export const linkable = (document: ReportDocument): ReportDocument => {
  const anchors = anchorsIn({ ...document, masthead: null });
  for (const { anchor } of document.appendix?.photos ?? []) anchors.add(anchor);
  const placed = new Set<string>();
  const isKept = (owner: object, name: string, value: string): boolean => {
    if (name === 'href') return isAddress(value);
    if (name === 'to' || name === 'from' || (name === 'anchor' && isPhoto(owner))) return anchors.has(value);
    if (name !== 'anchor') return true;
    const isFirst = !placed.has(value);
    placed.add(value);
    return isFirst;
  };
  const link = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(link);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (typeof member !== 'string') return [name, link(member)];
        return [name, isKept(value, name, member) ? member : null];
      }),
    );
  };
  return link(document) as ReportDocument;
};

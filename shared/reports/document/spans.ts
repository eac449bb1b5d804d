import LinkifyIt from 'linkify-it';
import type { ReportPosition } from '../../schemas/reports/report-answer.ts';
import type { Formats } from '../presentation/format.ts';
import type { Paragraph, Span } from './document.ts';

/** Only what nobody could mean otherwise is a link: "report.pdf" and "e.g" are no addresses. */
const linkify = new LinkifyIt({ fuzzyLink: false, fuzzyIP: false, fuzzyEmail: true });

/** A telephone number in the international form (ITU-T E.123): at least seven digits after the plus sign. */
const TELEPHONE = /(?<![\p{L}\p{N}+])\+\d(?:[ .\-/()]{0,2}\d){6,14}(?!\d)/gu;

/** Schemes that a reader may follow. */
const SAFE = /^(?:https?:|mailto:)/i;

interface Found {
  start: number;
  end: number;
  href: string;
}

const linksIn = (text: string): Found[] => {
  const addresses = (linkify.match(text) ?? [])
    .filter(({ url }) => SAFE.test(url))
    .map(({ index, lastIndex, url }) => ({ start: index, end: lastIndex, href: url }));
  const telephones = Array.from(text.matchAll(TELEPHONE), ({ 0: number, index }) => ({
    start: index,
    end: index + number.length,
    href: `tel:${number.replaceAll(/[^\d+]/g, '')}`,
  }));
  return [
    ...addresses,
    ...telephones.filter(({ start }) => !addresses.some((each) => start >= each.start && start < each.end)),
  ].toSorted((one, other) => one.start - other.start);
};

/** A text as spans, with links to the addresses and telephone numbers in it. */
export const linked = (text: string): Paragraph => {
  const spans: Span[] = [];
  let done = 0;
  for (const { start, end, href } of linksIn(text)) {
    if (start > done) spans.push({ text: text.slice(done, start) });
    spans.push({ text: text.slice(start, end), href });
    done = end;
  }
  if (done < text.length) spans.push({ text: text.slice(done) });
  return spans;
};

/** A text of people as paragraphs: an empty line divides two of them, and a single line break stays one. */
export const paragraphsOf = (text: string): Paragraph[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n[^\S\n]*\n\s*/)
    .map((part) => part.replaceAll(/[^\S\n]+$/gm, '').replaceAll(/^\n+|\n+$/g, ''))
    .filter((part) => part.trim() !== '')
    .map(linked);

export const plain = (text: string): Paragraph => (text === '' ? [] : [{ text }]);

/** Replaces the names in braces of a fixed text. A value may have links of its own. */
export const filled = (text: string, values: Readonly<Record<string, string | Paragraph>>): Paragraph =>
  text.split(/(\{\w+\})/).flatMap((part): Paragraph => {
    const value = /^\{\w+\}$/.test(part) ? values[part.slice(1, -1)] : undefined;
    if (value === undefined) return plain(part);
    return typeof value === 'string' ? plain(value) : value;
  });

/** The words of a paragraph without its links. */
export const wordsOf = (paragraph: Paragraph): string => paragraph.map(({ text }) => text).join('');

/** The same words, all of them a link to an anchor; without an anchor, as they are. */
export const linkTo = (to: string | null | undefined, text: string): Paragraph =>
  text === '' ? [] : [to ? { text, to } : { text }];

/** Joins paragraphs to one. */
export const joined = (parts: readonly Paragraph[], between: string): Paragraph =>
  parts
    .filter((part) => part.length > 0)
    .flatMap((part, n) => (n === 0 ? part : [{ text: between }, ...part]));

/** A fixed text with its names in braces replaced by words. */
export const inWords = (text: string, values: Readonly<Record<string, string>>): string =>
  wordsOf(filled(text, values));

/** Decimals of a degree: about one metre. */
const DECIMALS = 5;

/** The page of a map that shows a position. */
export const mapAddress = ({ lat, lng }: Pick<ReportPosition, 'lat' | 'lng'>): string => {
  const [north, east] = [lat, lng].map((degrees) => String(Number(degrees.toFixed(DECIMALS))));
  return `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=17/${north}/${east}`;
};

/**
 * A position in degrees with its accuracy in metres, as a link to a map. A point divides the decimals in every
 * language, because a comma divides the two numbers, which stay in one line.
 */
export const mapLink = ({ lat, lng, accuracy_m }: ReportPosition, formats: Formats): Paragraph => {
  const text = [lat, lng].map((degrees) => degrees.toFixed(DECIMALS)).join(',\u00a0');
  const accuracy = accuracy_m === null ? '' : ` (±${formats.number(accuracy_m)}\u00a0m)`;
  return [{ text, href: mapAddress({ lat, lng }) }, ...(accuracy === '' ? [] : [{ text: accuracy }])];
};

import { cutTo, trimmed } from '../../base/text.ts';

/** Bytes of a name in UTF-8, without its extension: file systems take 255 in all. */
const MAX_NAME_BYTES = 180;

/**
 * Characters that some file systems refuse, or that mislead a shell, an archive or a reader, such as marks of
 * direction.
 */
const NOT_IN_NAMES = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}\u2028\u2029]/gu;

/** Names that Windows keeps for devices (Microsoft, "Naming Files, Paths, and Namespaces"). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=$|[ .])/i;

/** The start of a text, in bytes of UTF-8; no character is cut in two. */
const cutToBytes = (text: string, bytes: number): string => {
  let short = cutTo(text, bytes);
  while (Buffer.byteLength(short) > bytes) short = cutTo(short, short.length - 1);
  return short;
};

/**
 * A text as the name of a file or folder that every system accepts: without an extension, at most 180 bytes of UTF-8.
 * @param fallback if nothing is left of the text
 */
export const safeName = (text: string, fallback: string): string => {
  const plain = text.toWellFormed().normalize('NFC').replaceAll(NOT_IN_NAMES, ' ').replaceAll(/\s+/gu, ' ');
  // Windows drops points and spaces at the end, and a point at the start hides a file.
  const name = trimmed(cutToBytes(plain.replace(/^[. ]+/, ''), MAX_NAME_BYTES)).replace(/[. ]+$/, '');
  return name === '' ? fallback : name.replace(DEVICE, '_$&');
};

/** An inspection as it is named among others: "128 Kitchen inspection". */
export const inspectionTitle = ({ number, name }: { number: number; name: string }): string =>
  `${number} ${name}`.trim();

/** The name of an inspection's file, such as "128 Kitchen inspection.pdf". @param extension without its point */
export const inspectionFileName = (inspection: { number: number; name: string }, extension: string): string =>
  `${safeName(inspectionTitle(inspection), String(inspection.number))}.${extension}`;

/**
 * The name of the file of many inspections, without its extension: "inspections 2027-03-14".
 * @param at ISO 8601
 * @param timeZone IANA; the day is that of the organization
 */
export const inspectionsFileName = (at: string, timeZone: string): string => {
  // Canada writes dates as ISO 8601 does.
  const day = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(at));
  return `inspections ${day}`;
};

import type { Subject } from './events.ts';

/** Characters of a record's name in a title. */
const MAX_NAME_LENGTH = 120;

/** Characters of a comment or reason that a notification repeats. */
export const MAX_NOTE_LENGTH = 1_000;

/** Cuts a text to so many characters, never inside one, and ends a cut text with “…”. */
const truncate = (text: string, maxLength: number): string => {
  const characters = Array.from(text);
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : text;
};

/** A title is also the subject of a mail, so a name may not break the line. */
const onOneLine = (name: string): string =>
  name.replaceAll(/[\p{White_Space}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** A record's name as a title or subject has it: on one line, at most 120 characters. */
export const shortName = (name: string): string => truncate(onOneLine(name), MAX_NAME_LENGTH);

const numberAndName = (number: number, name: string): string => `${number} “${shortName(name)}”`;

const PLACEHOLDERS: Readonly<Record<string, (subject: Subject) => string>> = {
  '{inspection}': ({ inspection }) => numberAndName(inspection!.number, inspection!.name),
  '{issue}': ({ issue }) => numberAndName(issue!.number, issue!.title),
  '{finding}': ({ finding }) => numberAndName(finding!.number, finding!.label),
  '{schedule}': ({ schedule }) => `“${shortName(schedule!.title)}”`,
  '{source}': ({ source }) => `“${shortName(source!.name)}”`,
  '{connection}': ({ connection }) => `“${shortName(connection!.title)}”`,
  '{webhook}': ({ webhook }) => `“${shortName(webhook!.title)}”`,
  '{action}': ({ action }) => numberAndName(action!.number, action!.title),
};

/** Replaces the placeholders of a title with the number and the name of each record, or the name where it has no number. The result is one line. */
export const fillTitle = (title: string, subject: Subject): string =>
  title.replaceAll(/\{\w+\}/g, (placeholder) => PLACEHOLDERS[placeholder]!(subject));

/** A comment or reason as a notification repeats it: trimmed, at most 1,000 characters, empty when there is none. */
export const noteText = (note: string | null): string => truncate(note?.trim() ?? '', MAX_NOTE_LENGTH);

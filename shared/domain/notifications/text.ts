import { fill } from '../../base/i18n/plural.ts';
import type { NotificationTexts } from '../../base/i18n/texts/notifications.ts';
import { plainLines } from '../../base/text.ts';
import type { NotificationEvent } from '../../schemas/notification.ts';
import type { About } from './mail.ts';

/** Characters of a record's name in a title. */
const MAX_NAME_LENGTH = 120;

/** Characters of a comment or reason that a notification repeats. */
export const MAX_NOTE_LENGTH = 1_000;

/** Cuts a text to `maxLength` characters, never within a character, and ends a cut text with “…”. */
const truncate = (text: string, maxLength: number): string => {
  const characters = Array.from(text);
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : text;
};

/** A title is also the subject of a mail, so a name may not break the line. */
const onOneLine = (name: string): string =>
  name.replaceAll(/[\p{White_Space}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** A record's name as a title or subject has it: on one line, at most 120 characters. */
export const shortName = (name: string): string => truncate(onOneLine(name), MAX_NAME_LENGTH);

/** A record's name, after its number if it has one. */
const nameOf = (
  { number, name }: { number?: number; name: string },
  { named, numbered }: NotificationTexts,
): string =>
  number === undefined
    ? fill(named, { name: shortName(name) })
    : fill(numbered, { number: String(number), name: shortName(name) });

/** An event in one sentence, on one line, with each name cut to 120 characters. */
export const titleOf = (event: NotificationEvent, about: About, texts: NotificationTexts): string => {
  const {
    inspection,
    issue,
    schedule,
    source,
    connection,
    webhook,
    organization,
    entries: [entry],
  } = about;
  const records = {
    inspection,
    issue,
    schedule,
    source,
    connection,
    webhook,
    organization,
    finding: entry,
    action: entry,
  };
  const names = Object.entries(records).flatMap(([placeholder, record]) =>
    record ? [[placeholder, nameOf(record, texts)]] : [],
  );
  return fill(texts.events[event].title, Object.fromEntries(names));
};

/** A comment or reason as a notification repeats it: trimmed, at most 1,000 characters, empty when there is none. */
export const noteText = (note: string | null): string => truncate(note?.trim() ?? '', MAX_NOTE_LENGTH);

/** The dots and colons by which a mail program finds a link: those before a letter, as in a name of a host, and those of a scheme. */
const LINK_MARKS = /(?<=\S)[.\u3002\uff0e\uff61](?=\p{L})|(?<=\p{L}):(?=\S)/gu;

/** Characters of a text of an organization in a mail to a stranger. */
const MAX_PLAIN_TEXT = 500;

/**
 * A text of an organization as it stands in a mail to a stranger: its lines are plain, it is short, and no mail program
 * makes a link of anything in it. Numbers stay as they are.
 */
export const plainText = (text: string): string =>
  truncate(plainLines(text).join('\n').replaceAll(LINK_MARKS, '$& ').trim(), MAX_PLAIN_TEXT);

/** The characters within a word that make a mail program turn it into a link or an address. */
const LINKING = /(?<=\S)[.:/\\@?=&%#]+(?=\S)/gu;

/**
 * Characters that nobody sees, or that turn the direction of the following text. Some scripts need the joiners (U+200C,
 * U+200D).
 */
const HIDDEN = /(?![\u200c\u200d])[\p{Cf}\p{Co}\p{Cn}]/gu;

/**
 * An organization's name as it is written in a mail to a stranger. The organization chooses its name, and the stranger
 * has asked for nothing. So the name can hold no link, no hidden character and no long text.
 */
export const plainName = (name: string): string =>
  shortName(name.replaceAll(HIDDEN, '').replaceAll(LINKING, ' '));

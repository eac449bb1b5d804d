import { shortName } from './text.ts';

/** What makes a mail program turn a part of a name into a link or an address, where it stands within a word. */
const LINKING = /(?<=\S)[.:/\\@?=&%#]+(?=\S)/gu;

/**
 * Characters that nobody sees, or that turn the direction of what follows. Some scripts need the joiners (U+200C, U+200D).
 */
const HIDDEN = /(?![\u200c\u200d])[\p{Cf}\p{Co}\p{Cn}]/gu;

/**
 * An organization's name as a mail to a stranger has it. The organization chooses its name and the stranger has asked for
 * nothing, so the name can hold no link, no hidden character and no long text.
 */
export const plainName = (name: string): string =>
  shortName(name.replaceAll(HIDDEN, '').replaceAll(LINKING, ' '));

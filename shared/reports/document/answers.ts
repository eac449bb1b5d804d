import { pluralText } from '../../i18n/plural.ts';
import type { ReportAddress, ReportAnswer } from '../../schemas/reports/report-answer.ts';
import { addressLines } from './addresses.ts';
import type { Context } from './context.ts';
import type { Paragraph } from './document.ts';
import { mapAddress, mapLink } from './maps.ts';
import { inWords, paragraphsOf, plain, wordsOf } from './spans.ts';

type Words = Pick<Context, 'texts' | 'formats' | 'payload'>;

/** The lines of an address as one paragraph. */
export const addressWords = ({ payload }: Words, address: ReportAddress): string =>
  addressLines(address, payload.report.language, payload.organization.region).join('\n');

type Kind = ReportAnswer['kind'];
type OfKind<K extends Kind> = Extract<ReportAnswer, { kind: K }>;

const numberWords = ({ texts, formats }: Words, { number, unit, of }: OfKind<'number'>): string => {
  const value = formats.exactNumber(number);
  const shown = of === null ? value : inWords(texts.of, { value, max: formats.exactNumber(of) });
  if (!unit) return shown;
  // A percent sign and a degree sign alone follow the number as its language has it; every other unit after a space.
  return unit === '°' || unit === '′' || unit === '″' ? `${shown}${unit}` : `${shown}\u00a0${unit}`;
};

/** Each kind of answer in words. */
const WRITERS: { [K in Kind]: (words: Words, answer: OfKind<K>) => Paragraph[] } = {
  text: (_, { text }) => paragraphsOf(text),
  number: (words, answer) => [plain(numberWords(words, answer))],
  yes_no: ({ texts }, { yes }) => [plain(yes ? texts.yes : texts.no)],
  options: ({ formats }, { options }) => [plain(formats.list(options.map(({ label }) => label)))],
  date: ({ formats }, { date }) => [plain(formats.calendarDate(date))],
  time: ({ formats }, { time }) => [plain(formats.timeOfDay(time))],
  datetime: ({ formats }, { at }) => [plain(formats.dateTime(at))],
  media: ({ texts, payload }, { document_ids }) => [
    plain(pluralText(payload.report.language, texts.attachedFiles, document_ids.length)),
  ],
  signature: ({ texts, formats }, { signed_name, signed_at }) => [
    plain(signed_name),
    ...(signed_at ? [plain(inWords(texts.signedOn, { when: formats.dateTime(signed_at) }))] : []),
  ],
  position: ({ formats }, { position }) => [mapLink(position, formats)],
  address: (words, { address }) => [plain(addressWords(words, address))],
  member: ({ texts }, { name }) => [plain(name ?? texts.deleted)],
  client_account: ({ texts }, { name }) => [plain(name ?? texts.deleted)],
  location: (words, { name, address, position }) => [
    plain(name ?? words.texts.deleted),
    ...(address ? [plain(addressWords(words, address))] : []),
    ...(position ? [[{ text: words.texts.map, href: mapAddress(position) }]] : []),
  ],
  reference: (_, { label, external_id }) => [plain(label || external_id)],
};

/** An answer as a person writes it. */
export const answerParagraphs = (words: Words, answer: ReportAnswer): Paragraph[] =>
  (WRITERS[answer.kind] as (words: Words, answer: ReportAnswer) => Paragraph[])(words, answer);

/** An answer in one line. */
export const answerLine = (words: Words, answer: ReportAnswer): string =>
  answerParagraphs(words, answer)
    .map(wordsOf)
    .join(', ')
    .replaceAll(/\s*\n\s*/g, ', ');

/** The colour of the chosen option; null where none has one, or several options do. */
export const swatchOf = (answer: ReportAnswer | null): string | null => {
  const colors = answer?.kind === 'options' ? answer.options.flatMap(({ color }) => color ?? []) : [];
  return new Set(colors).size === 1 ? colors[0]! : null;
};

import { formatAddress } from 'localized-address-format';
import { pluralText } from '../../base/i18n/plural.ts';
import { numberedLabel } from '../../domain/report/payload/labels.ts';
import type { ReportAddress, ReportAnswer, ReportInstance } from '../../schemas/reports/report-answer.ts';
import type { ReportActing, ReportFinding } from '../../schemas/reports/report-payload.ts';
import type { Context } from './context.ts';
import type { Paragraph } from './document.ts';
import { titleOf } from './layout.ts';
import { mapAddress, mapLink, inWords, paragraphsOf, plain, wordsOf, linkTo } from './spans.ts';

/**
 * Texts in Latin letters. Countries that write addresses from the largest part to the smallest do so only in their own
 * script.
 */
const LATIN = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u;

/** Countries whose postal service has the city in the lines or the region (data of libaddressinput). */
const CITY_IN_REGION = new Set(['JP']);

const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

const countryName = (country: string, language: string): string => {
  if (!/^[A-Z]{2}$/.test(country)) return country;
  try {
    return new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(country) ?? country;
  } catch {
    return country;
  }
};

/**
 * The lines of an address in the order of its country, with the country's name in a language at the end. A part that
 * the country's format leaves out, such as a region, gets a line of its own.
 * @param home the country of an address without one
 */
export const addressLines = (address: ReportAddress, language: string, home: string | null): string[] => {
  const { lines, city, region, postal_code, country } = address;
  const isLatin = LATIN.test([...lines, city, region].join(''));
  const others = isSame(region, city) ? '' : region;
  const inOrder = country || home || '';
  const withCity = CITY_IN_REGION.has(inOrder);
  const merged = [others, city].filter(Boolean);
  const formatted =
    inOrder === ''
      ? [...lines, [postal_code, city].filter(Boolean).join(' ')]
      : formatAddress(
          {
            postalCountry: inOrder,
            addressLines: lines,
            locality: city,
            administrativeArea: withCity
              ? isLatin
                ? merged.toReversed().join(', ')
                : merged.join('')
              : others,
            postalCode: postal_code,
          },
          isLatin ? 'latin' : 'local',
        );
  const written = formatted.join('\n');
  const missing = [postal_code, city, others].filter((part) => part !== '' && !written.includes(part));
  return [...formatted, ...missing, countryName(country, language)]
    .map((line) => line.trim())
    .filter((line) => line !== '');
};

export type Words = Pick<Context, 'texts' | 'formats' | 'payload'>;

/** The lines of an address as one paragraph. */
export const addressWords = ({ payload }: Words, address: ReportAddress): string =>
  addressLines(address, payload.report.language, payload.organization.region).join('\n');

type Kind = ReportAnswer['kind'];
type OfKind<K extends Kind> = Extract<ReportAnswer, { kind: K }>;

const numberWords = ({ texts, formats }: Words, { number, unit, of }: OfKind<'number'>): string => {
  const value = formats.exactNumber(number);
  const shown = of === null ? value : inWords(texts.of, { value, max: formats.exactNumber(of) });
  if (!unit) return shown;
  // A degree, minute or second sign follows the number directly; every other unit follows after a space.
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
const answerLine = (words: Words, answer: ReportAnswer): string =>
  answerParagraphs(words, answer)
    .map(wordsOf)
    .join(', ')
    .replaceAll(/\s*\n\s*/g, ', ');

/** The colour of the chosen option; null where none has one, or several options do. */
export const swatchOf = (answer: ReportAnswer | null): string | null => {
  const colors = answer?.kind === 'options' ? answer.options.flatMap(({ color }) => color ?? []) : [];
  return new Set(colors).size === 1 ? colors[0]! : null;
};

/** The title of an instance: the answer that names it, else its number. */
export const instanceTitle = (
  context: Context,
  { label, position }: Pick<ReportInstance, 'label' | 'position'>,
): string => {
  const title = label ? answerLine(context, label) : '';
  return title || String(position);
};

/** An instance with its section: "Extinguisher EXT-1004"; the section's title only once, if the answer repeats it. */
export const instanceName = (context: Context, instance: ReportInstance): string => {
  const section = titleOf({ title: instance.section_title }).label;
  const title = instanceTitle(context, instance);
  return title.toLowerCase().startsWith(section.toLowerCase()) ? title : `${section} ${title}`;
};

type QuestionPosition = Pick<
  ReportFinding,
  'section_id' | 'section_title' | 'field_id' | 'field_number' | 'field_label' | 'instance_path' | 'instances'
>;

/** A question with its number: "4.2 Floors are clean". */
export const questionOf = ({
  field_number,
  field_label,
}: Pick<QuestionPosition, 'field_number' | 'field_label'>) =>
  [field_number, field_label].filter(Boolean).join(' ');

/** The title of a finding, without the number of its question: a finding has a number of its own. */
export const findingTitle = ({
  label,
  field_number,
}: Pick<ReportFinding, 'label' | 'field_number'>): string => {
  const { number, label: title } = numberedLabel(label);
  return number !== null && number === field_number ? title : label;
};

/** The position of a question: "Extinguisher EXT-1004 › Seal intact". Empty if it is not known. */
export const placeWords = (context: Context, place: QuestionPosition): string => {
  const { section_id, section_title, instances } = place;
  // The innermost instance names its section already.
  const isNamed = instances.at(-1)?.section_id === section_id;
  const section = section_title === null || isNamed ? '' : titleOf({ title: section_title }).label;
  return [...instances.map((each) => instanceName(context, each)), section, questionOf(place)]
    .filter((part) => part !== '')
    .join(' › ')
    .replaceAll(/\s*\n\s*/g, ' ');
};

/** The same as a link to the item or, if the item is not shown, to its section. */
export const placeLink = (context: Context, place: QuestionPosition): Paragraph => {
  const { item, section } = context.anchors;
  const to =
    item(place.field_id, place.instance_path) ??
    section(place.section_id, place.instance_path) ??
    section(place.section_id);
  return linkTo(to, placeWords(context, place));
};

/** "For Ada via Field app"; null where somebody acted directly. */
export const actingWords = ({ texts }: Context, acting: ReportActing | undefined): string | null =>
  acting === undefined
    ? null
    : inWords(texts.forVia, {
        name: acting.name ?? texts.deleted,
        key: acting.key_name ?? texts.deleted,
      });

/** "14.03.2026, 11:00 by Ana", or "14.03.2026, 11:00 · For Ana via Field app"; only the time if nobody is known. */
export const timeAndPerson = (
  context: Context,
  at: string,
  name: string | null,
  actedFor?: ReportActing,
): string => {
  const when = context.formats.dateTime(at);
  const acting = actingWords(context, actedFor);
  if (acting !== null) return `${when} · ${acting}`;
  return name === null ? when : inWords(context.texts.by, { when, name });
};

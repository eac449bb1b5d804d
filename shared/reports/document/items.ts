import type {
  ReportField,
  ReportMedia,
  ReportSection,
  ReportSectionInstance,
} from '../../schemas/reports/report-answer.ts';
import type { ReportFinding } from '../../schemas/reports/report-payload.ts';
import { TONES } from '../presentation/theme.ts';
import type { Context } from './context.ts';
import type { BeforeAnswer, Chip, DocumentItem, Paragraph, ItemTable, Photo } from './document.ts';
import { isUnanswered, isWideTable, titleField } from './layout.ts';
import { inWords, joined, linkTo, paragraphsOf, plain, wordsOf, linked } from './spans.ts';
import { answerParagraphs, swatchOf, instanceTitle, type Words } from './words.ts';

type Answered = ReportField & { answered_by_name: string; answered_at: string };

const isAnswered = (field: ReportField): field is Answered =>
  field.answered_by_name !== null && field.answered_at !== null;

/** When a question was answered: the time on the device, if it is known. */
const timeOf = ({ client_answered_at, answered_at }: Answered): string => client_answered_at ?? answered_at;

/** Who answered most of a section's questions, and a sentence about it. */
interface AnsweredBy {
  name: string | null;
  /** Null where the layout leaves it out, or nobody is known. */
  sentence: string | null;
  /** The sentence for an item that somebody else answered; null for every other. */
  of: (field: ReportField) => string | null;
}

const NOBODY: AnsweredBy = { name: null, sentence: null, of: () => null };

const sentenceOf = ({ texts, formats }: Context, name: string, times: readonly string[]): string => {
  const [first, last] = [times[0]!, times.at(-1)!];
  const [from, to] = [formats.dateTime(first), formats.dateTime(last)];
  if (from === to) return inWords(texts.answeredBy, { name, when: from });
  const isOneDay = formats.date(first) === formats.date(last);
  return inWords(texts.answeredByBetween, { name, from, to: isOneDay ? formats.time(last) : to });
};

/** Says once who answered most of these fields. `of` says it for a field that somebody else answered. */
export const answeredBy = (context: Context, fields: readonly ReportField[]): AnsweredBy => {
  const answered = fields.filter(isAnswered);
  if (!context.payload.layout.include.answered_by || answered.length === 0) return NOBODY;
  const byName = Map.groupBy(answered, (field) => field.answered_by_name);
  const [name, most] = [...byName].reduce((best, each) => (each[1].length > best[1].length ? each : best));
  const times = most.map(timeOf).toSorted();
  return {
    name,
    sentence: sentenceOf(context, name, times),
    of: (field) =>
      isAnswered(field) && field.answered_by_name !== name
        ? sentenceOf(context, field.answered_by_name, [timeOf(field)])
        : null,
  };
};

/** Characters from which a text flows over the full width. */
const LONG = 90;

/** The findings of an item, by its field and instance. */
export type FindingsOf = (field: ReportField) => readonly ReportFinding[];

export const findingsByItem = ({ payload }: Context): FindingsOf => {
  const found = Map.groupBy(
    payload.findings,
    ({ field_id, instance_path }) => `${field_id} ${instance_path}`,
  );
  return ({ id, instance_path }) => found.get(`${id} ${instance_path}`) ?? [];
};

/** "Finding 3", linked to it; empty without findings, or where the report does not show them. */
const findingLinks = ({ texts, anchors }: Context, findings: readonly ReportFinding[]): Paragraph =>
  joined(
    findings.map(({ position }) => {
      const to = anchors.finding(position);
      return to ? linkTo(to, inWords(texts.finding, { n: String(position) })) : [];
    }),
    ', ',
  );

const chipsOf = ({ texts }: Context, field: ReportField): Chip[] => [
  ...(field.is_failed ? [{ text: texts.failed, tone: TONES.bad }] : []),
  ...(field.is_carried_over ? [{ text: texts.carriedOver, tone: TONES.neutral }] : []),
  ...(field.is_failed && field.is_critical ? [{ text: texts.critical, tone: TONES.bad }] : []),
];

/** The answer in words, or the words that replace it. */
export const answerOf = (
  context: Words,
  field: Pick<ReportField, 'type' | 'is_na' | 'answer'>,
  showsMedia: boolean,
): Paragraph[] => {
  const { texts } = context;
  if (field.type === 'instruction') return [];
  if (field.is_na && field.answer === null) return [plain(texts.notApplicable)];
  if (field.answer === null) return [plain(texts.notAnswered)];
  if (field.answer.kind === 'media' && showsMedia) return [];
  return answerParagraphs(context, field.answer);
};

/** The answer of the earlier inspection beside that of this one. */
const beforeOf = (context: Context, field: ReportField, anchor: string): BeforeAnswer | null => {
  const { before, type } = field;
  const { include } = context.payload.layout;
  if (!before || type === 'instruction') return null;
  return {
    label: context.texts.before,
    answer: answerOf(context, { ...before, type }, include.media),
    isFailed: before.is_failed,
    isUnanswered: !before.is_na && before.answer === null,
    note: include.notes ? paragraphsOf(before.note.trim()) : [],
    photos: include.media ? context.photos.photosOf(before.media, anchor, field.label) : [],
  };
};

/** A question with its answer. @param differs the sentence about who answered it, if somebody else answered most */
export const itemOf = (
  context: Context,
  field: ReportField,
  number: string,
  differs: string | null,
  findingsOf: FindingsOf,
): DocumentItem => {
  const { texts, anchors, photos, payload } = context;
  const { include } = payload.layout;
  const anchor = anchors.item(field.id, field.instance_path)!;
  const isInstruction = field.type === 'instruction';
  const answer = answerOf(context, field, include.media);
  const length = answer.reduce((sum, paragraph) => sum + wordsOf(paragraph).length, 0);
  const isText = field.answer?.kind === 'text';
  return {
    anchor,
    number: isInstruction ? '' : number,
    question: field.label,
    help: field.help ?? '',
    isInstruction,
    answer,
    swatch: swatchOf(field.answer),
    isLong: isText && (length > LONG || answer.length > 1),
    isUnanswered: isUnanswered(field),
    isFailed: field.is_failed,
    chips: chipsOf(context, field),
    note:
      include.notes && field.note.trim() !== ''
        ? { label: texts.note, paragraphs: paragraphsOf(field.note) }
        : null,
    answeredBy: differs,
    photos: include.media ? photos.photosOf(field.media, anchor, field.label) : [],
    files: include.media ? photos.filesOf(field.media) : [],
    findings: findingLinks(context, findingsOf(field)),
    signature: field.answer?.kind === 'signature' ? field.answer.document_id : null,
    before: beforeOf(context, field, anchor),
  };
};

type Row = ItemTable['rows'][number];

/** @param photos those that the answer consists of */
const cellOf = (
  context: Context,
  field: ReportField | undefined,
  photos: readonly Photo[],
): Row['cells'][number] => {
  const answer = field?.answer ?? null;
  const text = (): Paragraph => {
    if (field === undefined) return [];
    if (photos.length > 0) return [];
    if (answer) return joined(answerParagraphs(context, answer), ' ');
    return field.is_na ? plain(context.texts.notApplicable) : [];
  };
  return {
    text: text(),
    photos: [...photos],
    isFailed: field?.is_failed ?? false,
    isUnanswered: field !== undefined && isUnanswered(field),
    isNumber: answer?.kind === 'number',
  };
};

const columnName = ({ number, label }: ReportField): string => [number, label].filter(Boolean).join(' ');

/** "Before: Loose", for an answer of the earlier inspection. */
const beforeRemark = (context: Context, { before, type }: ReportField): Paragraph => {
  if (!before) return [];
  const { include } = context.payload.layout;
  const answer = joined(answerOf(context, { ...before, type }, false), ' ');
  const note = include.notes ? linked(before.note.trim()) : [];
  return [{ text: `${context.texts.before}: ` }, ...joined([answer, note], ' – ')];
};

/** The remarks on a row's answers: notes, findings, who else answered, and the earlier answer. */
const remarksOf = (
  context: Context,
  fields: readonly ReportField[],
  { of }: AnsweredBy,
  findingsOf: FindingsOf,
): Paragraph[] =>
  fields
    .map((field) => {
      const note = context.payload.layout.include.notes ? linked(field.note.trim()) : [];
      const said = [
        note,
        findingLinks(context, findingsOf(field)),
        plain(of(field) ?? ''),
        plain(field.is_carried_over ? context.texts.carriedOver : ''),
        beforeRemark(context, field),
      ];
      const remark = joined(said, ' · ');
      return remark.length === 0 ? [] : [{ text: `${columnName(field)}: ` }, ...remark];
    })
    .filter((remark) => remark.length > 0);

/** The instances of a repeat as the rows of a table. */
export const tableOf = (
  context: Context,
  section: ReportSection & { instances: ReportSectionInstance[] },
  title: string,
  by: AnsweredBy,
  findingsOf: FindingsOf,
): ItemTable => {
  const { anchors, photos, payload } = context;
  const titled = titleField(section);
  // An instance does not have the fields that its conditions hide.
  const questions = new Map(
    section.instances.flatMap(({ fields }) => fields.map((field) => [field.id, field])),
  );
  questions.delete(titled?.id ?? '');
  const rowOf = (instance: ReportSectionInstance): Row => {
    const { fields, instance_path } = instance;
    const byId = new Map(fields.map((field) => [field.id, field]));
    const anchor = anchors.item('row', instance_path)!;
    const { include } = payload.layout;
    const photosOf = (media: readonly ReportMedia[], field: ReportField) =>
      include.media ? photos.photosOf(media, anchor, columnName(field)) : [];
    const isMedia = ({ id, answer }: ReportField) => id !== titled?.id && answer?.kind === 'media';
    const inCells = new Map(
      fields.filter(isMedia).map((field) => [field.id, photosOf(field.media, field)] as const),
    );
    return {
      anchor,
      title: instanceTitle(context, instance),
      cells: [...questions.keys()].map((id) => cellOf(context, byId.get(id), inCells.get(id) ?? [])),
      remarks: remarksOf(context, fields, by, findingsOf),
      photos: fields.flatMap((field) =>
        photosOf([...(isMedia(field) ? [] : field.media), ...(field.before?.media ?? [])], field),
      ),
    };
  };
  return {
    anchor: `${anchors.section(section.id, section.instances[0]!.instance_path)}`,
    title,
    isWide: isWideTable(questions.size, payload.layout),
    columns: [titled ? columnName(titled) : title, ...[...questions.values()].map(columnName)],
    rows: section.instances.map(rowOf),
  };
};

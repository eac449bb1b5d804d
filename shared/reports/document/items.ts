import type { ReportField } from '../../schemas/reports/report-answer.ts';
import type { ReportFinding } from '../../schemas/reports/report-finding.ts';
import { TONES } from '../presentation/theme.ts';
import { isUnanswered } from './anchors.ts';
import { answerParagraphs, swatchOf } from './answers.ts';
import type { Context } from './context.ts';
import type { BeforeAnswer, Chip, Item, Paragraph } from './document.ts';
import { inWords, joined, linkTo, paragraphsOf, plain, wordsOf } from './spans.ts';

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
export const findingLinks = ({ texts, anchors }: Context, findings: readonly ReportFinding[]): Paragraph =>
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

/** What stands in the place of the answer. */
export const answerOf = (
  context: Context,
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

/** A question with its answer. @param differs the sentence about who answered it, if that is not who answered most */
export const itemOf = (
  context: Context,
  field: ReportField,
  number: string,
  differs: string | null,
  findingsOf: FindingsOf,
): Item => {
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

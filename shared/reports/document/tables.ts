import type {
  ReportField,
  ReportSection,
  ReportSectionInstance,
} from '../../schemas/reports/report-answer.ts';
import { isUnanswered } from './anchors.ts';
import type { AnsweredBy } from './answered-by.ts';
import { answerParagraphs } from './answers.ts';
import type { Context } from './context.ts';
import type { ItemTable, Paragraph } from './document.ts';
import { answerOf, findingLinks, type FindingsOf } from './items.ts';
import { instanceTitle } from './places.ts';
import { joined, linked, plain } from './spans.ts';
import { titleField } from './table-layout.ts';

type Row = ItemTable['rows'][number];

const cellOf = (context: Context, field: ReportField | undefined): Row['cells'][number] => {
  const answer = field?.answer ?? null;
  const text = (): Paragraph => {
    if (field === undefined) return [];
    if (answer) return joined(answerParagraphs(context, answer), ' ');
    return field.is_na ? plain(context.texts.notApplicable) : [];
  };
  return {
    text: text(),
    isFailed: field?.is_failed ?? false,
    isUnanswered: field !== undefined && isUnanswered(field),
    isNumber: answer?.kind === 'number',
  };
};

const questionOf = ({ number, label }: ReportField): string => [number, label].filter(Boolean).join(' ');

/** "Before: Loose", for an answer of the earlier inspection. */
const beforeRemark = (context: Context, { before, type }: ReportField): Paragraph => {
  if (!before) return [];
  const { include } = context.payload.layout;
  const answer = joined(answerOf(context, { ...before, type }, false), ' ');
  const note = include.notes ? linked(before.note.trim()) : [];
  return [{ text: `${context.texts.before}: ` }, ...joined([answer, note], ' – ')];
};

/** What is said of a row's answers beside their values: notes, findings, who else answered, and what was before. */
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
      return remark.length === 0 ? [] : [{ text: `${questionOf(field)}: ` }, ...remark];
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
  // An instance lacks what its own conditions hide.
  const questions = new Map(
    section.instances.flatMap(({ fields }) => fields.map((field) => [field.id, field])),
  );
  questions.delete(titled?.id ?? '');
  const rowOf = (instance: ReportSectionInstance): Row => {
    const { fields, instance_path } = instance;
    const byId = new Map(fields.map((field) => [field.id, field]));
    const anchor = anchors.item('row', instance_path)!;
    return {
      anchor,
      title: instanceTitle(context, instance),
      cells: [...questions.keys()].map((id) => cellOf(context, byId.get(id))),
      remarks: remarksOf(context, fields, by, findingsOf),
      photos: payload.layout.include.media
        ? fields.flatMap((field) =>
            photos.photosOf([...field.media, ...(field.before?.media ?? [])], anchor, questionOf(field)),
          )
        : [],
    };
  };
  return {
    anchor: `${anchors.section(section.id, section.instances[0]!.instance_path)}`,
    title,
    columns: [titled ? questionOf(titled) : title, ...[...questions.values()].map(questionOf)],
    rows: section.instances.map(rowOf),
  };
};

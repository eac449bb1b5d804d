import type { Caller } from '../../base/caller.ts';
import { canonicalJson, sha256 } from '../../base/encoding.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { pluralText } from '../../base/i18n/plural.ts';
import { buildPayload } from '../../domain/report/build.ts';
import type { ShownLine } from '../../http/pages/signature-page.ts';
import { type Context, contextOf } from '../../reports/document/context.ts';
import { answerOf } from '../../reports/document/items.ts';
import { titleOf } from '../../reports/document/layout.ts';
import { wordsOf } from '../../reports/document/spans.ts';
import { instanceName, questionOf } from '../../reports/document/words.ts';
import { readReportMaterial } from '../../reports/rows/report-material.ts';
import type { ReportField, ReportSection } from '../../schemas/reports/report-answer.ts';
import { wholeLayout } from '../../schemas/templates/report-layout.ts';
import type { StoredSignatureLink } from '../../table/entities/inspections.ts';

type Part = Pick<ReportSection, 'title' | 'description' | 'fields' | 'sections'>;

type SignedField = Pick<StoredSignatureLink, 'inspection_id' | 'section_id' | 'field_id' | 'instance_path'>;

/** The section in its instance; undefined where conditions hide it, or nothing in the instance is answered. */
const partIn = (
  context: Context,
  sections: readonly ReportSection[],
  field: SignedField,
  path = '',
): Part | undefined => {
  for (const section of sections) {
    const { id, title, description } = section;
    const parts = section.instances?.map((each) => ({
      ...each,
      title: instanceName(context, { ...each, section_id: id, section_title: title }),
      description,
    })) ?? [{ ...section, title: titleOf(section).label, instance_path: path }];
    for (const part of parts) {
      if (id === field.section_id && part.instance_path === field.instance_path) return part;
      const inner = partIn(context, part.sections, field, part.instance_path);
      if (inner) return inner;
    }
  }
  return undefined;
};

/** What a witness sees of a question; empty for the field that is signed. */
const seenOf = (
  { number, label, id, type, help, instance_path, answer, is_na, note, media }: ReportField,
  field: SignedField,
) =>
  id === field.field_id && instance_path === field.instance_path
    ? []
    : [{ number, label, id, type, help, instance_path, answer, is_na, note, media }];

type Seen = ReturnType<typeof seenOf>[number];

const isText = (text: string | null): text is string => text !== null && text.trim() !== '';

const lineOf = (context: Context, seen: Seen): ShownLine => {
  const { number, label, help, answer, note, media } = seen;
  const files = answer?.kind === 'media' ? 0 : media.length;
  return {
    question: questionOf({ field_number: number, field_label: label }),
    help: isText(help) ? help : null,
    answer: [
      ...answerOf(context, seen, false).map(wordsOf),
      ...(files > 0 ? [pluralText(context.payload.report.language, context.texts.attachedFiles, files)] : []),
    ],
    note: isText(note) ? note : null,
  };
};

/** A part with what a witness sees of it: the lines of its page, and the same as a value without words. */
const shownPart = (
  context: Context,
  { title, description, fields, sections }: Part,
  field: SignedField,
  level: number,
): { lines: ShownLine[]; value: unknown } => {
  const seen = fields.flatMap((each) => seenOf(each, field));
  const inner = sections.flatMap((section) =>
    (section.instances ?? [null]).map((instance) =>
      shownPart(
        context,
        instance
          ? {
              ...instance,
              title: instanceName(context, {
                ...instance,
                section_id: section.id,
                section_title: section.title,
              }),
              description: section.description,
            }
          : { ...section, title: titleOf(section).label },
        field,
        level + 1,
      ),
    ),
  );
  return {
    lines: [
      { heading: title, level, description: isText(description) ? description : null },
      ...seen.map((each) => lineOf(context, each)),
      ...inner.flatMap(({ lines }) => lines),
    ],
    value: { title, description, seen, inner: inner.map(({ value }) => value) },
  };
};

/** What a witness signs. */
export interface ShownSection {
  lines: ShownLine[];
  /** Of what is shown, in hexadecimal: another one says that something has changed. */
  hash: string;
  /** The state of the inspection that is shown, as `shownState` names it. */
  shows: string;
}

/**
 * Reads the section of a signature with its answers, in a language. Calls: as `readReportMaterial`.
 * @param now ISO 8601
 * @throws ApiError 404
 */
export const readSection = async (
  caller: Caller,
  field: SignedField,
  language: Language,
  now: string,
): Promise<ShownSection> => {
  const { material, shows } = await readReportMaterial(caller, field.inspection_id, async () =>
    wholeLayout({}),
  );
  const payload = buildPayload(material, { id: null, version: 1, generated_at: now, language });
  const context = contextOf(payload, { images: new Map(), hash: null });
  const part = partIn(context, payload.sections, field) ?? {
    title: material.index.fields.get(field.field_id)!.section.title,
    description: '',
    fields: [],
    sections: [],
  };
  const { lines, value } = shownPart(context, part, field, 2);
  return { lines, hash: sha256(canonicalJson(value)), shows };
};

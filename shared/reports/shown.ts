import type {
  ReportField,
  ReportFinding,
  ReportInclude,
  ReportInspection,
  ReportMedia,
  ReportPayload,
  ReportSection,
} from '../schemas/reports/report-payload.ts';
import { type Formats, humanize } from './format.ts';

/** Whether a question was left without an answer; an instruction asks for none. */
export const isUnanswered = ({ type, is_na, answer }: ReportField): boolean =>
  type !== 'instruction' && !is_na && !answer.text?.trim();

/** A section with its title numbered and its fields filtered as the layout wants. */
export interface NumberedSection {
  number: string;
  title: string;
  description: string;
  fields: ReportField[];
  sections: NumberedSection[];
}

/** The sections a report shows: one that only holds what the layout leaves out is left out too. */
export const numberedSections = (
  sections: ReportSection[],
  include: ReportInclude,
  prefix = '',
): NumberedSection[] => {
  const isShown = (field: ReportField): boolean =>
    (include.unanswered || !isUnanswered(field)) && (include.na || !field.is_na);
  return sections.flatMap((section, index) => {
    const number = `${prefix}${index + 1}`;
    const fields = section.fields.filter(isShown);
    const nested = numberedSections(section.sections, include, `${number}.`);
    const isEmptied =
      fields.length + nested.length === 0 && section.fields.length + section.sections.length > 0;
    const title = section.instance ? `${section.title} – ${section.instance}` : section.title;
    return isEmptied ? [] : [{ number, title, description: section.description, fields, sections: nested }];
  });
};

/** All fields of a section and of those within it. */
export const fieldsOf = (section: NumberedSection): ReportField[] => [
  ...section.fields,
  ...section.sections.flatMap(fieldsOf),
];

/** A section in figures, with all within it; instructions ask for nothing. */
export const figuresOf = (
  section: NumberedSection,
): { items: number; unanswered: number; na: number; failed: number } => {
  const fields = fieldsOf(section).filter(({ type }) => type !== 'instruction');
  return {
    items: fields.length,
    unanswered: fields.filter(isUnanswered).length,
    na: fields.filter(({ is_na }) => is_na).length,
    failed: fields.filter(({ is_failed }) => is_failed).length,
  };
};

/** What stands beside a section's title. */
export const tallyOf = ({ items, failed }: ReturnType<typeof figuresOf>): string =>
  [`${items} ${items === 1 ? 'item' : 'items'}`, ...(failed > 0 ? [`${failed} failed`] : [])].join(' · ');

/** An answer in words; none where all there is to say is that it does not apply. */
export const answerText = ({ is_na, answer }: ReportField): string => {
  const text = answer.text ?? '';
  return is_na && /^n[./]?a\.?$/i.test(text.trim()) ? '' : text;
};

/** Who answered when. */
export const answeredBy = ({ answered_by_name, answered_at }: ReportField, formats: Formats): string =>
  [answered_by_name ?? '', answered_at ? formats.dateTime(answered_at) : ''].filter(Boolean).join(' · ');

/** Where a finding was made. */
export const placeOf = ({ section_title, field_label }: ReportFinding): string =>
  [section_title, field_label].filter(Boolean).join(' › ').replaceAll('\n', ' ');

const KINDS: Record<string, string> = { image: 'Image cannot be shown', video: 'Video', audio: 'Audio' };

/** What stands in the place of what is no picture, or cannot be shown. */
export const placeholderOf = ({ mime_type }: ReportMedia): string =>
  KINDS[mime_type.split('/')[0] ?? ''] ?? 'File';

/** The day an inspection is known by: the last thing that happened to it. */
const dayOf = (inspection: ReportInspection): string | null =>
  inspection.completed_at ?? inspection.submitted_at ?? inspection.started_at ?? inspection.scheduled_for;

/** The storage key of the logo that stands on the cover, or null. */
export const logoOf = ({
  layout,
  organization,
}: Pick<ReportPayload, 'layout' | 'organization'>): string | null => layout.theme.logo ?? organization.logo;

/** What the cover tells of an inspection; what is not known is left out. */
export const detailsOf = (
  { inspection, organization }: ReportPayload,
  formats: Formats,
): { name: string; value: string }[] => {
  const { client, location, template, participants } = inspection;
  const day = dayOf(inspection);
  const people = (...roles: string[]): string =>
    participants
      .filter((participant) => roles.includes(participant.role))
      .map((participant) => participant.name)
      .join(', ');
  return [
    { name: 'Client', value: client?.name ?? '' },
    { name: 'Inspection', value: `No. ${inspection.number} · ${humanize(inspection.status)}` },
    { name: 'Location', value: [location?.name, location?.address].filter(Boolean).join('\n') },
    { name: 'Date', value: day ? formats.date(day) : '' },
    { name: 'Inspected by', value: people('lead', 'inspector') },
    { name: 'Approved by', value: people('approver') },
    { name: 'Started', value: inspection.started_at ? formats.dateTime(inspection.started_at) : '' },
    {
      name: 'Completed',
      value: inspection.completed_at ? formats.dateTime(inspection.completed_at) : '',
    },
    { name: 'Template', value: `${template.name} · version ${template.version_number}` },
    { name: 'Prepared by', value: organization.name },
  ].filter(({ value }) => value.trim() !== '');
};

/** The photos of a report's blocks, each once. */
export const photosOf = (payload: ReportPayload, sections: NumberedSection[]): Map<string, ReportMedia> => {
  const media = [
    ...payload.findings.flatMap((finding) => finding.media),
    ...sections.flatMap(fieldsOf).flatMap((field) => field.media),
  ];
  return new Map(
    payload.layout.include.media
      ? media.filter((item) => item.mime_type.startsWith('image/')).map((item) => [item.document_id, item])
      : [],
  );
};

import type { Score } from '../../schemas/inspections/inspection.ts';
import type {
  ReportAnswer,
  ReportField as Field,
  ReportSection as Section,
} from '../../schemas/reports/report-answer.ts';
import type {
  ReportCorrectiveAction as Action,
  ReportFinding as Finding,
} from '../../schemas/reports/report-finding.ts';
import type { ReportLayoutContent } from '../../schemas/reports/report-layout-content.ts';
import type {
  ReportInspection as Inspection,
  ReportOrganization,
  ReportPayload as Payload,
} from '../../schemas/reports/report-payload.ts';
import type { ReportSectionScore } from '../../schemas/reports/report-summary.ts';
import { formatsOf, type Formats } from './format.ts';

/*
 * What the renderers that are not drawn from the report document yet are drawn from. It goes with them.
 */

export type { ReportBlock, ReportInclude } from '../../schemas/reports/report-layout-content.ts';
export type { ReportOrganization } from '../../schemas/reports/report-payload.ts';
export type { ReportSectionScore } from '../../schemas/reports/report-summary.ts';

export interface ReportMedia {
  document_id: string;
  caption: string;
  file_name: string;
  mime_type: string;
}

export interface ReportField {
  id: string;
  type: string;
  label: string;
  help?: string;
  answer: { text: string | null; value?: unknown };
  is_failed: boolean;
  is_na: boolean;
  note: string;
  media: ReportMedia[];
  answered_at: string | null;
  answered_by_name: string | null;
}

export interface ReportSection {
  id: string;
  title: string;
  description: string;
  instance: string | null;
  fields: ReportField[];
  sections: ReportSection[];
}

export type ReportFinding = Pick<
  Finding,
  | 'id'
  | 'number'
  | 'label'
  | 'severity'
  | 'status'
  | 'origin'
  | 'description'
  | 'recommendation'
  | 'root_cause'
> & { section_title: string | null; field_label: string | null; media: ReportMedia[] };

export type ReportCorrectiveAction = Pick<
  Action,
  | 'id'
  | 'number'
  | 'title'
  | 'description'
  | 'priority'
  | 'status'
  | 'is_overdue'
  | 'assignee_name'
  | 'due_at'
  | 'completed_at'
  | 'completion_note'
  | 'verified_at'
> & { finding_number: number };

export type ReportInspection = Omit<Inspection, 'client' | 'location'> & {
  client: { id: string; name: string } | null;
  location: { id: string; name: string; address: string } | null;
};

export interface ReportSignature {
  label: string;
  signed_name: string;
  signed_at: string | null;
  document_id: string | null;
  typed: string | null;
}

export interface ReportPayload {
  organization: ReportOrganization;
  report: Pick<Payload['report'], 'id' | 'title' | 'version' | 'generated_at'>;
  layout: ReportLayoutContent;
  inspection: ReportInspection;
  summary: Pick<Payload['summary'], 'progress' | 'counts' | 'findings'> & {
    score: Score | null;
    section_scores: ReportSectionScore[];
  };
  findings: ReportFinding[];
  corrective_actions: ReportCorrectiveAction[];
  sections: ReportSection[];
  signatures: ReportSignature[];
}

const textOf = (answer: ReportAnswer | null, formats: Formats): string | null => {
  if (answer === null) return null;
  switch (answer.kind) {
    case 'text':
      return answer.text;
    case 'number':
      return [formats.number(answer.number), answer.unit].filter(Boolean).join(' ');
    case 'yes_no':
      return answer.yes ? 'Yes' : 'No';
    case 'options':
      return answer.options.map(({ label }) => label).join(', ');
    case 'date':
      return formats.calendarDate(answer.date);
    case 'time':
      return answer.time;
    case 'datetime':
      return formats.dateTime(answer.at);
    case 'media':
      return answer.document_ids.length === 1 ? '1 file' : `${answer.document_ids.length} files`;
    case 'signature':
      return answer.signed_name;
    case 'position':
      return `${answer.position.lat}, ${answer.position.lng}`;
    case 'address':
      return [...answer.address.lines, answer.address.postal_code, answer.address.city]
        .filter(Boolean)
        .join(', ');
    case 'member':
    case 'client_account':
    case 'location':
      return answer.name ?? '–';
    case 'reference':
      return answer.label || answer.external_id;
  }
};

const mediaOf = (media: Field['media']): ReportMedia[] =>
  media.map(({ file_name, size_bytes: _size, ...each }) => ({
    ...each,
    file_name: file_name ?? 'deleted document',
  }));

const fieldOf = (formats: Formats, field: Field): ReportField => ({
  id: field.id,
  type: field.type,
  label: [field.number, field.label].filter(Boolean).join(' '),
  ...(field.help !== null && { help: field.help }),
  answer: { text: field.is_na && !field.answer ? 'N/A' : textOf(field.answer, formats), value: field.answer },
  is_failed: field.is_failed,
  is_na: field.is_na,
  note: field.note,
  media: mediaOf(field.media),
  answered_at: field.answered_at,
  answered_by_name: field.answered_by_name,
});

const sectionsOf = (formats: Formats, sections: Section[]): ReportSection[] =>
  sections.flatMap(({ id, title, description, instances, ...own }) =>
    (instances ?? [{ ...own, label: null, position: 0 }]).map((content) => ({
      id,
      title,
      description,
      instance: instances === null ? null : (textOf(content.label, formats) ?? `#${content.position}`),
      fields: content.fields.map((field) => fieldOf(formats, field)),
      sections: sectionsOf(formats, content.sections),
    })),
  );

export const formerPayload = (payload: Payload): ReportPayload => {
  const { organization, report, inspection, summary, findings } = payload;
  const formats = formatsOf(organization);
  const start = payload.start.map((field) => fieldOf(formats, field));
  return {
    organization,
    report,
    layout: payload.layout,
    inspection: {
      ...inspection,
      client: inspection.client && { id: inspection.client.id, name: inspection.client.name ?? '–' },
      location: inspection.location && {
        id: inspection.location.id,
        name: inspection.location.name ?? '–',
        address: inspection.location.address?.lines.join('\n') ?? '',
      },
    },
    summary: {
      ...summary,
      score: summary.score && { ...summary.score, result: summary.verdict?.result ?? null },
    },
    findings: findings.map((finding) => ({
      ...finding,
      field_label: [finding.field_number, finding.field_label].filter(Boolean).join(' ') || null,
      media: mediaOf(finding.media),
    })),
    corrective_actions: findings.flatMap(({ number, corrective_actions }) =>
      corrective_actions.map((action) => ({ ...action, finding_number: number })),
    ),
    sections: [
      ...(start.length > 0
        ? [{ id: 'start', title: 'Start', description: '', instance: null, fields: start, sections: [] }]
        : []),
      ...sectionsOf(formats, payload.sections),
    ],
    signatures: payload.signatures.map(({ field_label, ...signature }) => ({
      ...signature,
      label: field_label ?? 'Sign-off',
    })),
  };
};

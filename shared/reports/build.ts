import {
  type Answer,
  displayAnswer,
  isAnswered,
  isFailed,
  type MediaItem,
  references,
} from '../domain/answers.ts';
import { type ContentIndex, instanceWithin, isMedia, type Question } from '../domain/content.ts';
import { fieldInstances } from '../domain/instances.ts';
import { evaluate } from '../domain/logic.ts';
import { progressOf } from '../domain/progress.ts';
import type { Section } from '../schemas/content.ts';
import type { Finding } from '../schemas/finding.ts';
import type {
  ReportField,
  ReportFinding,
  ReportInspection,
  ReportLayoutContent,
  ReportMedia,
  ReportOrganization,
  ReportPayload,
  ReportSection,
  ReportSignature,
} from './payload.ts';

/** An answer with who gave it. */
export interface ReportedAnswer extends Answer {
  answered_by: string | null;
  answered_at: string | null;
}

/** Everything a report is made of, as it was read. */
export interface ReportSources {
  organization: ReportOrganization;
  layout: ReportLayoutContent;
  inspection: ReportInspection;
  index: ContentIndex;
  /** Answers to the Start section, by key. */
  startAnswers: Record<string, unknown>;
  answers: ReportedAnswer[];
  findings: Finding[];
  /** Names by id of the people, clients and locations that answers speak of. */
  names: Map<string, string>;
  /** File names and types of the documents that are shown, by id. */
  documents: Map<string, { file_name: string; mime_type: string }>;
}

/** Ids whose names or files an inspection's report will show. */
export const reportReferences = (
  index: ContentIndex,
  answers: readonly ReportedAnswer[],
  findings: readonly Pick<Finding, 'content'>[],
  startAnswers: Record<string, unknown>,
) => {
  const people = new Set<string>();
  const documents = new Set<string>();
  const clients = new Set<string>();
  const locations = new Set<string>();
  const collect = (field: Question, value: unknown) => {
    const found = references(field, value);
    for (const id of found.user_ids) people.add(id);
    for (const id of found.document_ids) documents.add(id);
    for (const id of found.client_account_ids) clients.add(id);
    for (const id of found.location_ids) locations.add(id);
  };
  for (const answer of answers) {
    const place = index.fields.get(answer.field_id);
    if (place) collect(place.field, answer.value);
    if (answer.answered_by) people.add(answer.answered_by);
    for (const { document_id } of answer.media ?? []) documents.add(document_id);
  }
  for (const [key, value] of Object.entries(startAnswers)) {
    const field = index.startFields.get(key);
    if (field) collect(field, value);
  }
  for (const { content } of findings) for (const { document_id } of content.media) documents.add(document_id);
  return { people, documents, clients, locations };
};

const placeOf = (fieldId: string, instancePath: string) => `${fieldId} ${instancePath}`;

/** Types whose answer is the id of something that has a name. */
const NAMED = new Set(['member', 'client_account', 'location']);

/**
 * The payload of a report: every section with each of its instances, every field with its answer as a person
 * reads it, and the figures of the whole.
 */
export const buildPayload = (
  sources: ReportSources,
  report: Pick<ReportPayload['report'], 'id' | 'version' | 'generated_at'>,
): ReportPayload => {
  const { organization, layout, inspection, index, answers, findings, names, documents } = sources;
  const byPlace = new Map(answers.map((answer) => [placeOf(answer.field_id, answer.instance_path), answer]));
  const evaluation = evaluate(index, answers, sources.startAnswers);
  const instances = [...fieldInstances(index, evaluation.instances)];
  const paths = new Set(instances.map(({ instance_path }) => instance_path));

  const mediaOf = (items: readonly MediaItem[]): ReportMedia[] =>
    items.map(({ document_id, caption }) => ({
      document_id,
      caption: caption ?? '',
      ...(documents.get(document_id) ?? {
        file_name: 'deleted document',
        mime_type: 'application/octet-stream',
      }),
    }));

  const textOf = (field: Question, value: unknown): string =>
    NAMED.has(field.type) && typeof value === 'string'
      ? (names.get(value) ?? value)
      : displayAnswer(field, index, value);

  const fieldOf = (field: Question, id: string, answer: ReportedAnswer | undefined): ReportField => {
    const answered = answer && isAnswered(answer) ? answer : undefined;
    const media = answered && isMedia(field) ? (answered.value as MediaItem[]) : [];
    return {
      id,
      type: field.type,
      label: field.label,
      ...('help_text' in field && field.help_text && { help: field.help_text }),
      answer: {
        text: answered ? textOf(field, answered.value) || 'N/A' : null,
        value: answered?.value ?? null,
      },
      is_failed: answered !== undefined && !answered.is_na && isFailed(field, index, answered.value),
      is_na: answered?.is_na ?? false,
      note: answer?.note ?? '',
      media: mediaOf([...media, ...(answer?.media ?? [])]),
      answered_at: answered?.answered_at ?? null,
      answered_by_name: answered?.answered_by ? (names.get(answered.answered_by) ?? null) : null,
    };
  };

  /** A finding that nobody has described yet speaks by the answer that opened it. */
  const findingOf = (finding: Finding): ReportFinding => {
    const { id, number, label, severity, status, origin, section_id, field_id, instance_path, content } =
      finding;
    const field = index.fields.get(field_id ?? '')?.field;
    const answer = field && byPlace.get(placeOf(field.id, instance_path));
    const shown = answer && fieldOf(field, field.id, answer);
    return {
      id,
      number,
      label,
      severity,
      status,
      origin,
      section_title: index.sections.get(section_id ?? '')?.section.title ?? null,
      field_label: field?.label ?? null,
      description: content.description || (shown?.note ?? ''),
      recommendation: content.recommendation,
      root_cause: content.root_cause,
      media: [...mediaOf(content.media), ...(shown?.media ?? [])],
    };
  };

  const instanceLabel = ({ repeat }: Section, path: string, position: number): string => {
    const place = repeat?.label_field_id ? index.fields.get(repeat.label_field_id) : undefined;
    const answer = place && byPlace.get(placeOf(place.field.id, path));
    return (answer && textOf(place.field, answer.value)) || `#${position + 1}`;
  };

  const sectionsOf = (sections: readonly Section[], outer: string): ReportSection[] =>
    sections.flatMap((section) => {
      const drawn = (path: string, instance: string | null): ReportSection => ({
        id: section.id,
        title: section.title,
        description: section.description ?? '',
        instance,
        fields: section.fields.map((field) => fieldOf(field, field.id, byPlace.get(placeOf(field.id, path)))),
        sections: sectionsOf(section.sections, path),
      });
      if (!section.repeat) return [drawn(outer, null)];
      return instancesOf(section.id, outer, paths).map((position) => {
        const path = instanceWithin(outer, section.id, position);
        return drawn(path, instanceLabel(section, path, position));
      });
    });

  const counted = [...byPlace.values()].filter(isAnswered);
  const failed = counted.filter(({ field_id, value, is_na }) => {
    const place = index.fields.get(field_id);
    return place !== undefined && !is_na && isFailed(place.field, index, value);
  });
  const start = index.content.start.fields.map((field) =>
    fieldOf(field, field.key, startAnswer(field.key, sources.startAnswers[field.key])),
  );
  return {
    organization,
    report: { ...report, title: inspection.name },
    layout,
    inspection,
    summary: {
      progress: progressOf(evaluation),
      counts: {
        answered: counted.length,
        failed: failed.length,
        na: counted.filter(({ is_na }) => is_na).length,
      },
      findings: {
        observation: findings.filter(({ severity }) => severity === 'observation').length,
        minor: findings.filter(({ severity }) => severity === 'minor').length,
        major: findings.filter(({ severity }) => severity === 'major').length,
        critical: findings.filter(({ severity }) => severity === 'critical').length,
      },
      score: null,
    },
    findings: findings.map(findingOf),
    corrective_actions: [],
    sections: [
      ...(start.length > 0
        ? [{ id: 'start', title: 'Start', description: '', instance: null, fields: start, sections: [] }]
        : []),
      ...sectionsOf(index.content.sections, ''),
    ],
    signatures: instances.flatMap(({ place: { field }, instance_path }) =>
      signatureOf(field, byPlace.get(placeOf(field.id, instance_path))),
    ),
  };
};

const startAnswer = (key: string, value: unknown): ReportedAnswer => ({
  field_id: key,
  instance_path: '',
  value: value ?? null,
  note: '',
  is_na: false,
  answered_by: null,
  answered_at: null,
});

const signatureOf = (field: Question, answer: ReportedAnswer | undefined): ReportSignature[] => {
  if (field.type !== 'signature' || !answer || !isAnswered(answer) || answer.is_na) return [];
  const { document_id, typed, signed_name, signed_at } = answer.value as {
    document_id?: string | null;
    typed?: string | null;
    signed_name: string;
    signed_at: string | null;
  };
  return [
    {
      label: field.label,
      signed_name,
      signed_at: signed_at && new Date(signed_at).toISOString(),
      document_id: document_id ?? null,
      typed: typed ?? null,
    },
  ];
};

/** The indexes of a repeat section's instances below a path, in order. */
const instancesOf = (sectionId: string, outer: string, paths: ReadonlySet<string>): number[] => {
  const prefix = `${outer}${outer && '/'}${sectionId}[`;
  const indexes = new Set<number>();
  for (const path of paths) {
    if (path.startsWith(prefix)) indexes.add(Number.parseInt(path.slice(prefix.length), 10));
  }
  return [...indexes].toSorted((a, b) => a - b);
};

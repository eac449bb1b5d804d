import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type {
  ReportCorrectiveAction,
  ReportField,
  ReportFinding,
  ReportInspection,
  ReportLayoutContent,
  ReportMedia,
  ReportOrganization,
  ReportPayload,
  ReportSection,
  ReportSignature,
} from '../../schemas/reports/report-payload.ts';
import type { Section } from '../../schemas/templates/content.ts';
import { evaluate } from '../content/conditions.ts';
import {
  type ContentIndex,
  type FieldPlace,
  instanceWithin,
  isAnswerable,
  isMedia,
  type Question,
} from '../content/content-index.ts';
import { fieldInstances, isRepeat } from '../content/instances.ts';
import { progressOf } from '../content/progress.ts';
import { explainScore } from '../content/scoring.ts';
import {
  type Answer,
  displayAnswer,
  isAnswered,
  isFailed,
  type MediaItem,
  references,
} from '../content/values.ts';
import { isActionOverdue } from '../corrective-actions.ts';

/** An answer with who gave it. */
export interface ReportedAnswer extends Answer {
  answered_by: string | null;
  answered_at: string | null;
}

/** What a report takes from a corrective action. */
export type ReportedAction = Omit<ReportCorrectiveAction, 'finding_number' | 'is_overdue' | 'assignee_name'> &
  Pick<CorrectiveAction, 'finding_id' | 'assignee_id'>;

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
  actions: ReportedAction[];
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
  const explanation = explainScore(evaluation);

  const isShown = (place: FieldPlace, path: string): boolean =>
    evaluation.standingOf(place, path) !== 'hidden';

  /** The answer as it was saved; a calculated field's result as one that nobody gave. */
  const answerAt = (place: FieldPlace, path: string): ReportedAnswer | undefined => {
    const { id, type } = place.field;
    if (type !== 'calculated') return byPlace.get(placeOf(id, path));
    const result = evaluation.answerOf(place, path);
    return result && unsigned(id, path, result.value);
  };

  const visible = [...fieldInstances(index, evaluation.instances)]
    .filter(({ place, instance_path }) => isShown(place, instance_path))
    .map(({ place, instance_path }) => ({ place, answer: answerAt(place, instance_path) }));

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
    const media = answered && isMedia(field) && !answered.is_na ? (answered.value as MediaItem[]) : [];
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

  const findingNumbers = new Map(findings.map(({ id, number }) => [id, number]));

  const actionOf = (action: ReportedAction): ReportCorrectiveAction => {
    const { id, number, title, description, priority, status, due_at, completed_at } = action;
    const { completion_note, verified_at, finding_id, assignee_id } = action;
    return {
      id,
      number,
      finding_number: findingNumbers.get(finding_id)!,
      title,
      description,
      priority,
      status,
      is_overdue: isActionOverdue(action, report.generated_at),
      assignee_name: assignee_id && (names.get(assignee_id) ?? null),
      due_at,
      completed_at,
      completion_note,
      verified_at,
    };
  };

  const instanceLabel = ({ repeat }: Section, path: string, position: number): string => {
    const place = repeat?.label_field_id ? index.fields.get(repeat.label_field_id) : undefined;
    const answer = place && isShown(place, path) ? answerAt(place, path) : undefined;
    return (place && answer && textOf(place.field, answer.value)) || `#${position + 1}`;
  };

  /** A section without anything that is shown is left out, unless it has nothing anyway. */
  const sectionsOf = (sections: readonly Section[], outer: string): ReportSection[] =>
    sections.flatMap((section) => {
      const drawn = (path: string, instance: string | null): ReportSection[] => {
        const shownFields = section.fields.filter(({ report }) => report.visible);
        const places = shownFields.map(({ id }) => index.fields.get(id)!);
        const fields = places
          .filter((place) => isShown(place, path))
          .map((place) => fieldOf(place.field, place.field.id, answerAt(place, path)));
        const inner = sectionsOf(section.sections, path);
        const isHidden =
          fields.length + inner.length === 0 && section.fields.length + section.sections.length > 0;
        const { id, title, description } = section;
        return isHidden
          ? []
          : [{ id, title, description: description ?? '', instance, fields, sections: inner }];
      };
      if (!isRepeat(section)) return drawn(outer, null);
      return evaluation.instances.of(section, outer).flatMap((position) => {
        const path = instanceWithin(outer, section.id, position);
        return drawn(path, instanceLabel(section, path, position));
      });
    });

  const counted = visible.flatMap(({ place: { field }, answer }) =>
    answer && isAnswered(answer) ? [{ field, ...answer }] : [],
  );
  const start = index.content.start.fields
    .filter((field) => evaluation.startStandingOf(field) !== 'hidden')
    .map((field) => fieldOf(field, field.key, unsigned(field.key, '', sources.startAnswers[field.key])));
  return {
    organization,
    report: { ...report, title: inspection.name },
    layout,
    inspection,
    summary: {
      progress: progressOf(evaluation),
      counts: {
        answered: counted.filter(({ field }) => isAnswerable(field)).length,
        failed: counted.filter(({ field, value, is_na }) => !is_na && isFailed(field, index, value)).length,
        na: counted.filter(({ is_na }) => is_na).length,
      },
      findings: {
        observation: findings.filter(({ severity }) => severity === 'observation').length,
        minor: findings.filter(({ severity }) => severity === 'minor').length,
        major: findings.filter(({ severity }) => severity === 'major').length,
        critical: findings.filter(({ severity }) => severity === 'critical').length,
      },
      score: explanation.score,
      section_scores: explanation.sections.map(
        ({ section_id, title, percentage, points, max, passing_score, result }) => ({
          section_id,
          title,
          depth: index.sections.get(section_id)!.depth,
          percentage,
          points,
          max,
          passing_score,
          result,
        }),
      ),
    },
    findings: findings.map(findingOf),
    corrective_actions: sources.actions.map(actionOf),
    sections: [
      ...(start.length > 0
        ? [{ id: 'start', title: 'Start', description: '', instance: null, fields: start, sections: [] }]
        : []),
      ...sectionsOf(index.content.sections, ''),
    ],
    signatures: visible.flatMap(({ place, answer }) => signatureOf(place.field, answer)),
  };
};

/** An answer without a record of its own. */
const unsigned = (field_id: string, instance_path: string, value: unknown): ReportedAnswer => ({
  field_id,
  instance_path,
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

import type { Severity } from '../../../schemas/common.ts';
import type { Evaluation } from '../../content/conditions/evaluate.ts';
import { findingSeverity, findingTexts } from '../../content/new-finding.ts';
import type { TextOf } from '../../content/piping.ts';
import { isFailed } from '../../content/values/comparison.ts';
import { actionPriority, type ActionRule, dueDate } from '../../due-dates.ts';
import type { ReportedAction, ReportedAnswer, ReportedAttachment, ReportedFinding } from '../material.ts';
import { at, COMPLETED, documentId, idOf, INSPECTOR, mediaOf } from './identities.ts';

/** Why a finding was opened. */
type Occasion = Pick<
  ReportedFinding,
  'label' | 'section_id' | 'field_id' | 'instance_path' | 'origin' | 'severity'
>;

/** A finding as an inspector might add it. */
const MANUAL: Occasion = {
  label: 'Sample finding',
  severity: 'minor',
  section_id: null,
  field_id: null,
  instance_path: '',
  origin: 'manual',
};

const occasionOf = (
  evaluation: Evaluation,
  textOf: TextOf,
  { field_id, instance_path, value, is_na }: ReportedAnswer,
): Occasion[] => {
  const { index } = evaluation;
  const place = index.fields.get(field_id)!;
  const { field, section } = place;
  const { finding: rule } = field;
  if (is_na || !rule || rule.create === 'never' || !isFailed(field, index, value)) return [];
  return [
    {
      label: findingTexts(evaluation, place, instance_path, textOf).label,
      severity: findingSeverity(index, place, value),
      section_id: section.id,
      field_id,
      instance_path,
      origin: 'auto',
    },
  ];
};

const findingOf = (occasion: Occasion, n: number): ReportedFinding => ({
  id: idOf('finding', n),
  created_at: at(COMPLETED),
  updated_at: at(COMPLETED),
  inspection_id: idOf('inspection'),
  number: n + 1,
  ...occasion,
  content: {
    description: 'What was found, where, and who is exposed to it.',
    recommendation: 'What should be done about it.',
    root_cause: n === 0 ? 'Why it came to this.' : '',
    media: n === 0 ? mediaOf('photo', 1) : [],
  },
  status: 'open',
  trigger_cleared: false,
  corrective_actions_count: Number(n === 0),
  created_by: idOf('person', INSPECTOR),
  version: 1,
});

/** A finding for each failed answer whose field has a rule for it; without any, one that an inspector might add. */
export const sampleFindings = (
  evaluation: Evaluation,
  answers: readonly ReportedAnswer[],
  textOf: TextOf,
): ReportedFinding[] => {
  const found = answers.flatMap((answer) => occasionOf(evaluation, textOf, answer));
  return (found.length > 0 ? found : [MANUAL]).map(findingOf);
};

/** A week after the inspection, where the rule gives no due date. */
const sampleDue = (rule: ActionRule | null | undefined, severity: Severity): string => {
  const [visited_at, created_at] = [at(COMPLETED), at(COMPLETED)];
  const calendar = { timezone: 'UTC', weekend_days: ['saturday', 'sunday'] } as const;
  const due = rule && dueDate(rule, severity, { visited_at, created_at }, calendar).due_at;
  return due ?? at(COMPLETED + 7 * 24 * 60);
};

/** The actions that the rules of failed fields ask for, and in any case one for the first finding. */
export const sampleActions = (
  evaluation: Evaluation,
  findings: readonly ReportedFinding[],
  textOf: TextOf,
): ReportedAction[] =>
  findings
    .map((finding) => ({ ...finding, place: evaluation.index.fields.get(finding.field_id ?? '') }))
    .map(({ place, ...finding }) => ({
      ...finding,
      rule: place?.field.finding?.corrective_action,
      title: place && findingTexts(evaluation, place, finding.instance_path, textOf).action_title,
    }))
    .filter(({ rule, number }) => rule || number === 1)
    .map(({ id, label, severity, rule, title }, n) => ({
      id: idOf('action', n),
      finding_id: id,
      number: n + 1,
      title: title ?? `Put right: ${label}`,
      description: 'What is to be done, and how it is known to be done.',
      priority: rule ? actionPriority(rule, severity) : 'medium',
      // An open action would be overdue when its date has passed, and the sample would change.
      status: 'pending_verification',
      assignee_id: idOf('person', INSPECTOR),
      contact: null,
      due_at: sampleDue(rule, severity),
      completed_at: at(COMPLETED),
      completed_by: idOf('person', INSPECTOR),
      completed_by_contact: false,
      completion_note: 'What was done.',
      verified_at: null,
      verified_by: null,
      verification_note: '',
    }));

/** A photo before and one after the first action. */
export const sampleAttachments = (actions: readonly ReportedAction[]): ReportedAttachment[] =>
  actions.slice(0, 1).flatMap(({ id }) =>
    (['before', 'after'] as const).map((stage, n) => ({
      action_id: id,
      stage,
      document_id: documentId('photo', n + 2),
      caption: '',
    })),
  );

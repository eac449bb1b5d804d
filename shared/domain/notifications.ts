import type { CorrectiveAction } from '../schemas/corrective-action.ts';
import type { Finding } from '../schemas/finding.ts';
import type { Inspection } from '../schemas/inspections/inspection.ts';
import type { NotificationEvent } from '../schemas/notification.ts';
import type { NotificationKind } from '../schemas/preferences.ts';

/** What a notification is about: an inspection, or what was found in it, or what is done about that. */
export interface Subject {
  inspection: Pick<Inspection, 'id' | 'number' | 'name'>;
  finding?: Pick<Finding, 'id' | 'number' | 'label'> | undefined;
  action?: Pick<CorrectiveAction, 'id' | 'number' | 'title'> | undefined;
}

const MOST_NAMED = 120;
const MOST_SAID = 1_000;

/** The first so many characters, none of them cut in two. */
const upTo = (most: number, text: string): string => {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
};

/** On one line: a title is also the subject of a mail. */
const quoted = (name: string): string =>
  `“${upTo(MOST_NAMED, name.replaceAll(/[\p{White_Space}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())}”`;

const numbered = ({ number, name }: Subject['inspection']): string => `inspection ${number} ${quoted(name)}`;

const inspection = ({ inspection }: Subject): string => `I${numbered(inspection).slice(1)}`;
const action = ({ inspection, action }: Subject): string =>
  `Corrective action ${action!.number} ${quoted(action!.title)} of ${numbered(inspection)}`;

/** Which preference each event follows, and what is said of it to whoever is told. */
const EVENTS: Readonly<
  Record<NotificationEvent, { kind: NotificationKind; says: (subject: Subject) => string }>
> = {
  inspection_assigned: {
    kind: 'new_assignments',
    says: (subject) => `${inspection(subject)} is assigned to you.`,
  },
  part_reopened: {
    kind: 'inspection_outcomes',
    says: (subject) => `A submitted part of ${numbered(subject.inspection)} is open again.`,
  },
  approval_requested: {
    kind: 'new_assignments',
    says: (subject) => `${inspection(subject)} awaits your approval.`,
  },
  sign_off_requested: {
    kind: 'new_assignments',
    says: (subject) => `${inspection(subject)} awaits your signature.`,
  },
  changes_requested: {
    kind: 'approval_outcomes',
    says: (subject) => `Changes to ${numbered(subject.inspection)} are requested.`,
  },
  approved: { kind: 'approval_outcomes', says: (subject) => `${inspection(subject)} is approved.` },
  rejected: { kind: 'approval_outcomes', says: (subject) => `${inspection(subject)} is rejected.` },
  completed: { kind: 'inspection_outcomes', says: (subject) => `${inspection(subject)} is completed.` },
  overdue: { kind: 'overdue_inspections', says: (subject) => `${inspection(subject)} is overdue.` },
  finding_created: {
    kind: 'inspection_outcomes',
    says: ({ inspection, finding }) =>
      `Finding ${finding!.number} ${quoted(finding!.label)} was made in ${numbered(inspection)}.`,
  },
  corrective_action_assigned: {
    kind: 'new_assignments',
    says: (subject) => `${action(subject)} is assigned to you.`,
  },
  corrective_action_due_soon: {
    kind: 'ca_due_soon',
    says: (subject) => `${action(subject)} is due within 24 hours.`,
  },
  corrective_action_due: { kind: 'ca_due', says: (subject) => `${action(subject)} is due.` },
  corrective_action_completed: {
    kind: 'inspection_outcomes',
    says: (subject) => `${action(subject)} awaits verification.`,
  },
  corrective_action_verified: {
    kind: 'inspection_outcomes',
    says: (subject) => `${action(subject)} is verified.`,
  },
  corrective_action_declined: {
    kind: 'inspection_outcomes',
    says: (subject) => `${action(subject)} has to be done again.`,
  },
  corrective_action_reopened: {
    kind: 'inspection_outcomes',
    says: (subject) => `${action(subject)} is open again.`,
  },
};

/** The preference that an event follows. */
export const kindOf = (event: NotificationEvent): NotificationKind => EVENTS[event].kind;

/** An event in one plain sentence, on one line, names shortened to 120 characters. */
export const titleOf = (event: NotificationEvent, subject: Subject): string => EVENTS[event].says(subject);

/** What was said with it, as far as a notification repeats that: 1,000 characters. */
export const noteOf = (said: string | null): string => upTo(MOST_SAID, said?.trim() ?? '');

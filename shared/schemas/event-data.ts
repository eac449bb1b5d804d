import * as z from 'zod';
import { Asset } from './assets/asset.ts';
import { BulkChange } from './bulk-change.ts';
import { Certificate } from './certificates/certificate.ts';
import { ClientAccountEventData } from './client-account.ts';
import { Uuid } from './common.ts';
import { Activity, CorrectiveAction } from './corrective-action.ts';
import { Document } from './document.ts';
import { FindingEventData } from './finding.ts';
import { AnswersSaved } from './inspections/answer.ts';
import { Inspection } from './inspections/inspection.ts';
import { Connection } from './integrations/connection.ts';
import { Candidate } from './integrations/directory.ts';
import { SyncRun } from './integrations/run.ts';
import { DirectorySource, Source } from './integrations/source.ts';
import { Issue } from './issues/issue.ts';
import { LocationEventData } from './location.ts';
import { Member } from './member.ts';
import { RegionEventData } from './region.ts';
import { Report } from './reports/report.ts';
import { MissedOccurrence } from './schedules/missed-occurrence.ts';
import { ScheduleEventData } from './schedules/schedule.ts';
import { Family } from './templates/family.ts';
import { TemplateVersion } from './templates/template.ts';

const InspectionCorrected = Inspection.extend({
  correction_id: Uuid.meta({ description: 'The correction that was closed.' }),
}).meta({
  id: 'InspectionCorrected',
  description: 'An inspection after a correction of it was closed, and which correction that was.',
});

const CorrectiveActionComment = Activity.extend({ corrective_action_id: Uuid }).meta({
  id: 'CorrectiveActionComment',
  description: 'A comment, in the form of the history of its corrective action.',
});

const AnyTemplate = z
  .union([Family, TemplateVersion])
  .meta({ id: 'AnyTemplate', description: 'A template family, or a version of one without its content.' });

const AnySource = z
  .union([Source, DirectorySource])
  .meta({ id: 'AnySource', description: 'A source, or a directory source.' });

/**
 * A type of event: when it is emitted, the schema of its `data`, and the field with the id of the resource that it is
 * about. Most functions need the names of the types alone, so that the schema is looked up when it is asked for.
 */
const event = <Data extends z.ZodType>(summary: string, data: () => Data, idIn = 'id') => ({
  summary,
  get data() {
    return data();
  },
  idIn,
});

/**
 * Every type of event. The data is the resource as its GET shows it right after the change; for a deletion, as it was
 * before. Fields that GET reads from other rows are left out, and so are signed URLs and credentials. The events of a
 * resource tell of every change of it, except of fields whose descriptions have `UNNOTICED` or `UNTOLD`.
 */
export const EVENTS = {
  'client_account.created': event('A client account was created.', () => ClientAccountEventData),
  'client_account.updated': event('A client account was changed.', () => ClientAccountEventData),
  'client_account.deleted': event('A client account was deleted.', () => ClientAccountEventData),
  'region.created': event('A region was created.', () => RegionEventData),
  'region.updated': event('A region was changed.', () => RegionEventData),
  'region.deleted': event('A region was deleted.', () => RegionEventData),
  'location.created': event('A location was created.', () => LocationEventData),
  'location.updated': event('A location was changed.', () => LocationEventData),
  'location.deleted': event('A location was deleted.', () => LocationEventData),
  'asset.created': event('An asset was created.', () => Asset),
  'asset.updated': event('An asset was changed, but not moved.', () => Asset),
  'asset.moved': event('An asset was moved to another location or into another asset.', () => Asset),
  'asset.decommissioned': event('An asset was decommissioned.', () => Asset),
  'asset.deleted': event('An asset was deleted.', () => Asset),
  'certificate.issued': event('An inspection was completed and has issued a certificate.', () => Certificate),
  'certificate.updated': event(
    'The link by which anyone reads a certificate was made or ended, or its location was merged into another one.',
    () => Certificate,
  ),
  'certificate.suspended': event(
    'A certificate was suspended, by a request or with its inspection.',
    () => Certificate,
  ),
  'certificate.reinstated': event('A suspended certificate is valid again.', () => Certificate),
  'certificate.revoked': event('A certificate was revoked for good.', () => Certificate),
  'certificate.expiring': event(
    'A certificate expires soon: see `remind_before` of its kind.',
    () => Certificate,
  ),
  'certificate.expired': event('A certificate has expired.', () => Certificate),
  'certificate.deleted': event('A certificate was deleted with its inspection.', () => Certificate),
  'document.created': event(
    'A document was uploaded. The data has no `download_url`: get the document to download it.',
    () => Document,
  ),
  'document.deleted': event('A document was deleted.', () => Document),
  'member.created': event('Somebody was added or invited as a member.', () => Member, 'user_id'),
  'member.updated': event(
    'A member was changed, suspended, activated or invited again, has joined, or has changed whether keys may act for them.',
    () => Member,
    'user_id',
  ),
  'member.deleted': event(
    'A member was removed, has left, or has declined the invitation.',
    () => Member,
    'user_id',
  ),
  'template.created': event('A template family was created. The data is the family.', () => Family),
  'template.updated': event(
    'A template family, a version of it or one of its report layouts was changed, or a draft was opened. The data is the family, or the version without its `content`: a version has a `family_id`, a family has none.',
    () => AnyTemplate,
  ),
  'template.deleted': event('A template family was deleted. The data is the family.', () => Family),
  'template.published': event(
    'A template version was published. The data is the version without its `content`, which `GET /templates/{template_id}` has.',
    () => TemplateVersion,
  ),
  'inspection.created': event('An inspection was created.', () => Inspection),
  'inspection.duplicated': event(
    'An inspection was created as a copy of another one. It stands in the list of events, but is not sent to webhooks.',
    () => Inspection,
  ),
  'inspection.updated': event(
    'An inspection was changed, apart from its answers and apart from the steps that have an event of their own.',
    () => Inspection,
  ),
  'inspection.started': event('An inspection was started.', () => Inspection),
  'inspection.pending_approval': event('An inspection was submitted and needs approval.', () => Inspection),
  'inspection.approved': event(
    'An inspection was approved. The event of the status that follows comes next: `inspection.pending_sign_off` or `inspection.completed`.',
    () => Inspection,
  ),
  'inspection.pending_sign_off': event('An inspection needs to be signed off.', () => Inspection),
  'inspection.completed': event('An inspection was completed.', () => Inspection),
  'inspection.overdue': event(
    'The due date of an inspection has passed while it was scheduled or in_progress. The service looks every 5 minutes. There is one event for each due date, and one more only when the date was changed and has passed again.',
    () => Inspection,
  ),
  'inspection.archived': event('An inspection was archived.', () => Inspection),
  'inspection.restored': event('An archived inspection was restored.', () => Inspection),
  'inspection.reopened': event('A part of an inspection was reopened.', () => Inspection),
  'inspection.answers_saved': event(
    'Answers of an inspection were saved. There is one event for all that were saved together.',
    () => AnswersSaved,
    'inspection_id',
  ),
  'inspection.corrected': event(
    'A correction of a completed inspection was closed.',
    () => InspectionCorrected,
  ),
  'inspection.deleted': event('An inspection was deleted.', () => Inspection),
  'finding.created': event('A finding was created, by hand or by a failed answer.', () => FindingEventData),
  'finding.updated': event('A finding was changed.', () => FindingEventData),
  'finding.deleted': event('A finding was deleted.', () => FindingEventData),
  'corrective_action.created': event('A corrective action was created.', () => CorrectiveAction),
  'corrective_action.updated': event(
    'A corrective action, its attachments or its comments were changed, but not its status.',
    () => CorrectiveAction,
  ),
  'corrective_action.status_changed': event(
    'The status of a corrective action was changed.',
    () => CorrectiveAction,
  ),
  'corrective_action.overdue': event(
    'The due date of a corrective action has passed while it was not completed. There is one event for each due date, as for inspections.',
    () => CorrectiveAction,
  ),
  'corrective_action.deleted': event(
    'A corrective action was deleted, with its finding or its inspection.',
    () => CorrectiveAction,
  ),
  'corrective_action.commented': event(
    'A corrective action was commented on. The data is the comment; `corrective_action.updated` has the action.',
    () => CorrectiveActionComment,
    'corrective_action_id',
  ),
  'bulk_change.created': event('A bulk change was requested.', () => BulkChange),
  'bulk_change.planned': event(
    'A bulk change knows what it would change. A bulk change without `dry_run` continues without another request.',
    () => BulkChange,
  ),
  'bulk_change.started': event(
    'A request carries out a planned bulk change, or goes on with a stopped one.',
    () => BulkChange,
  ),
  'bulk_change.completed': event('All rows of a bulk change were dealt with.', () => BulkChange),
  'bulk_change.stopped': event(
    'A bulk change was stopped or cancelled, or has failed: see its `status`.',
    () => BulkChange,
  ),
  'report.ready': event('A report was rendered.', () => Report),
  'report.failed': event('A report could not be rendered.', () => Report),
  'connection.created': event('A connection to another system was created.', () => Connection),
  'connection.updated': event(
    'A connection or its credential was changed, or the vendor has refused the credential.',
    () => Connection,
  ),
  'connection.deleted': event('A connection was deleted.', () => Connection),
  'source.created': event('A source or a directory source was created.', () => AnySource),
  'source.updated': event('The settings of a source were changed.', () => AnySource),
  'source.deleted': event('A source was deleted.', () => AnySource),
  'sync.completed': event('A sync has ended as `succeeded` or `partial`.', () => SyncRun, 'source_id'),
  'sync.failed': event('A sync has failed.', () => SyncRun, 'source_id'),
  'directory.user.left_source': event(
    'A person is no longer in a directory source. The data is the user candidate.',
    () => Candidate,
    'source_id',
  ),
  'issue.created': event('An issue was reported.', () => Issue),
  'issue.updated': event('An issue was changed or commented on.', () => Issue),
  'issue.deleted': event('An issue was deleted.', () => Issue),
  'schedule.created': event('An inspection schedule was created.', () => ScheduleEventData),
  'schedule.updated': event(
    'An inspection schedule or one of its overrides was changed, paused or resumed.',
    () => ScheduleEventData,
  ),
  'schedule.occurrence_missed': event(
    'An inspection of a schedule was not started by its `missed_after`. The data says which one. There is one event for each `missed_after`, also when nobody ever starts the inspection.',
    () => MissedOccurrence,
    'schedule_id',
  ),
  'schedule.deleted': event('An inspection schedule was deleted.', () => ScheduleEventData),
} as const satisfies Record<string, { summary: string; data: z.ZodType; idIn: string }>;

export type EventType = keyof typeof EVENTS;

/** Types that the list of events alone has. A duplicate is no news to whoever made it: no webhook tells of it. */
const LISTED_ALONE: ReadonlySet<EventType> = new Set(['inspection.duplicated']);

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** Whether events of a type are sent to webhooks. */
export const isSent = (type: EventType): boolean => !LISTED_ALONE.has(type);

/** The part of a type before its first dot, such as `inspection`: the kind of resource that an event is about. */
export type EventGroup<Type extends EventType = EventType> = Type extends `${infer Group}.${string}`
  ? Group
  : never;

/** What can happen to a resource: `created` in `location.created`. */
export type Happening<Resource extends string, Type = EventType> = Type extends `${Resource}.${infer What}`
  ? What
  : never;

/** The types of events whose data is an inspection, without further fields. */
export type InspectionEvent = Exclude<
  Extract<EventType, `inspection.${string}`>,
  'inspection.answers_saved' | 'inspection.corrected'
>;

/** The data of an event, by its type. */
export type EventData<Type extends EventType = EventType> = z.output<(typeof EVENTS)[Type]['data']>;

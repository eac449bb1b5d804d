import type { ComponentChildren, FunctionComponent } from 'preact';
import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import type { AssetKind } from '../../../../shared/schemas/assets/asset-kind.ts';
import type { Asset } from '../../../../shared/schemas/assets/asset.ts';
import type { CertificateKind } from '../../../../shared/schemas/certificates/certificate-kind.ts';
import type { Certificate } from '../../../../shared/schemas/certificates/certificate.ts';
import type { ClientAccount } from '../../../../shared/schemas/client-account.ts';
import type {
  CorrectiveAction,
  ListedCorrectiveAction,
} from '../../../../shared/schemas/corrective-action.ts';
import type { Finding, ListedFinding } from '../../../../shared/schemas/finding.ts';
import type { Inspection } from '../../../../shared/schemas/inspections/inspection.ts';
import type { Issue } from '../../../../shared/schemas/issues/issue.ts';
import type { Location } from '../../../../shared/schemas/location.ts';
import type { Region } from '../../../../shared/schemas/region.ts';
import type { ListedReport, Report } from '../../../../shared/schemas/reports/report.ts';
import type { Schedule } from '../../../../shared/schemas/schedules/schedule.ts';
import type { Family } from '../../../../shared/schemas/templates/family.ts';
import { fill, languageText, monthsText, numberText, percentText } from '../formats.ts';
import { page, t, words } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { Chip, type Mood, Time, TimeOrDash } from '../ui/parts.tsx';
import type { Column } from '../ui/table.tsx';
import {
  AssetActs,
  CertificateActs,
  ClientActs,
  InspectionActs,
  IssueListActs,
  ReportActs,
} from './acts.tsx';
import { Answers, queryOfAnswer } from './answers.tsx';
import { bulkChanges } from './bulk/kind.tsx';
import { ScheduleDates } from './dates.tsx';
import { type Fact, fact } from './facts.tsx';
import { Attachments, Files, InspectionFiles } from './files.tsx';
import { LinkTo, mayOpen, Person, titleAt, titleOf, versionOf } from './links.tsx';
import { TemplateContent } from './template.tsx';

const x = t.explore;

const isAdmin = page.organization?.role === 'admin';

/** A filter of a list, by the name of its query parameter. Without options it takes a text. */
export interface Filter {
  name: string;
  label: string;
  options?: readonly (readonly [string, string])[];
}

/** Objects that belong to another one, as a part of its page. */
export interface Related {
  title: string;
  /** Of which kind they are. */
  place: AdminPlace;
  /** Below `/v1`, with a query. */
  path: string;
  /** The filters by which the list of their kind shows them; undefined where it has none. */
  filters?: Record<string, string>;
}

/** What the app shows of a kind of object: in its list, and on the page of one. */
export interface Kind<Row> {
  place: AdminPlace;
  name: string;
  columns: readonly Column<Row>[];
  filters: readonly Filter[];
  /** The filters of the list that only links set; see `Limits`. */
  limits?: readonly string[];
  /** What `q` of the list finds; undefined where it has none. */
  search?: string;
  /** Its pages are by `offset`, not by a cursor. */
  isByOffset?: boolean;
  title: (row: Row) => string;
  state: (row: Row) => ComponentChildren;
  facts: (row: Row) => readonly (Fact | null)[];
  related: (row: Row) => readonly Related[];
  /** The service keeps the history of each. */
  hasActivity?: boolean;
  /** What its page has besides facts, for admins. */
  Content?: FunctionComponent<{ row: Row }>;
  /** What can be done with one, and with all of them. */
  Acts?: FunctionComponent<{ row: Row; onChanged: (row: Row) => void }>;
  ListActs?: FunctionComponent;
}

const timeFact = (label: string, at: string | null): Fact | null => fact(label, at && <Time at={at} />);

const linkFact = (label: string, place: AdminPlace, id: string | null | undefined): Fact | null =>
  fact(label, id && mayOpen(place) && <LinkTo place={place} id={id} />);

/** Only admins know the names of all others. */
const personFact = (label: string, id: string | null): Fact | null =>
  fact(label, id && (isAdmin || id === page.userId) && <Person id={id} />);

/** What every object has. */
const madeFacts = (row: {
  created_at: string;
  updated_at: string;
  created_by?: string;
  external_ref?: string | null;
}): (Fact | null)[] => [
  fact(x.externalRef, row.external_ref && <bdi>{row.external_ref}</bdi>),
  [
    t.common.created,
    <>
      <Time at={row.created_at} />
      {row.created_by && (isAdmin || row.created_by === page.userId) && (
        <span class="sub">
          <Person id={row.created_by} />
        </span>
      )}
    </>,
  ],
  timeFact(x.changed, row.updated_at),
];

const options = (texts: Readonly<Record<string, string>>): [string, string][] => [
  ['', t.common.all],
  ...Object.entries(texts),
];

const YES: readonly (readonly [string, string])[] = [
  ['', t.common.all],
  ['true', t.common.yes],
];

const REFERENCE: Filter = { name: 'external_ref', label: x.externalRef };

const Overdue = ({ is }: { is: boolean }) => (is ? <Chip mood="bad">{words.overdue}</Chip> : null);

const nameColumn = <Row extends { id: string }>(place: AdminPlace, title: string): Column<Row> => ({
  title,
  cell: (row) => <LinkTo place={place} id={row.id} title={titleOf(row)} />,
});

const column = <Row,>(title: string, place: AdminPlace, idOf: (row: Row) => string | null): Column<Row> => ({
  title,
  place,
  cell: (row) => {
    const id = idOf(row);
    return id ? <LinkTo place={place} id={id} /> : '–';
  },
});

const INSPECTION_MOODS: Partial<Record<Inspection['status'], Mood>> = {
  pending_approval: 'warn',
  pending_sign_off: 'warn',
  completed: 'good',
};

const Score = ({ score }: Pick<Inspection, 'score'>) =>
  score === null ? (
    <>–</>
  ) : (
    <>
      {score.percentage === null ? '–' : percentText(score.percentage)}{' '}
      {score.result && (
        <Chip mood={score.result === 'pass' ? 'good' : 'bad'}>{words.results[score.result]}</Chip>
      )}
    </>
  );

const Participants = ({ participants }: Pick<Inspection, 'participants'>) => (
  <>
    {participants.map(({ user_id, name }) => (
      <span class="item" key={user_id}>
        <Person id={user_id} name={name} />
      </span>
    ))}
  </>
);

const inspections: Kind<Inspection> = {
  place: 'inspections',
  name: t.tabs.inspections.name,
  search: x.searchHelp,
  filters: [
    { name: 'status', label: t.common.status, options: options(words.statuses) },
    { name: 'result', label: words.result, options: options(words.results) },
    { name: 'is_overdue', label: words.overdue, options: YES },
    REFERENCE,
  ],
  limits: ['completed_after', 'completed_before', 'score_min'],
  title: titleOf,
  state: ({ status, is_overdue }) => (
    <>
      <Chip mood={INSPECTION_MOODS[status] ?? ''}>{words.statuses[status]}</Chip> <Overdue is={is_overdue} />
    </>
  ),
  Acts: InspectionActs,
  Content: Answers,
  columns: [
    nameColumn('inspections', t.common.name),
    { title: t.common.status, cell: (row) => inspections.state(row) },
    column(words.location, 'locations', ({ location_id }) => location_id),
    { title: words.due, cell: ({ due_at }) => <TimeOrDash at={due_at} isDay /> },
    { title: words.score, cell: ({ score }) => <Score score={score} /> },
  ],
  hasActivity: true,
  facts: (row) => [
    linkFact(words.template, 'templates', row.template_family_id),
    linkFact(words.client, 'clients', row.client_account_id),
    linkFact(words.location, 'locations', row.location_id),
    linkFact(x.asset, 'assets', row.asset_id),
    fact(words.participants, row.participants.length > 0 && <Participants participants={row.participants} />),
    personFact(t.members.approver, row.approver_id),
    timeFact(words.scheduledFor, row.scheduled_for),
    timeFact(words.due, row.due_at),
    timeFact(words.started, row.started_at),
    timeFact(words.workbook.submitted, row.submitted_at),
    timeFact(words.approved, row.approved_at),
    timeFact(words.completed, row.completed_at),
    timeFact(words.statuses.archived, row.archived_at),
    fact(words.score, row.score && <Score score={row.score} />),
    [
      words.answered,
      fill(words.of, { value: numberText(row.progress.answered), max: numberText(row.progress.total) }),
    ],
    fact(
      words.signatures,
      row.signatures.map(({ signed_name, signed_at, declined }) => (
        <span class="item" key={signed_at + signed_name}>
          <bdi>{signed_name}</bdi> {declined && <Chip mood="bad">{x.activity.declined}</Chip>}{' '}
          <span class="sub">
            <Time at={signed_at} />
          </span>
        </span>
      )),
    ),
    isAdmin ? [words.workbook.files, <InspectionFiles id={row.id} />] : null,
    linkFact(t.integrations.schedule, 'schedules', row.schedule_id),
    linkFact(words.fromIssue, 'issues', row.issue_id),
    linkFact(x.reinspectionOf, 'inspections', row.reinspection_of_id),
    ...madeFacts(row),
  ],
  related: ({ id, reinspections_count }) => [
    {
      title: words.reports,
      place: 'reports',
      path: `/v1/inspections/${id}/reports`,
      filters: { inspection_id: id },
    },
    { title: words.findings, place: 'findings', path: `/v1/inspections/${id}/findings` },
    { title: words.actions, place: 'corrective-actions', path: `/v1/inspections/${id}/corrective-actions` },
    certificatesOf({ inspection_id: id }),
    ...(reinspections_count > 0
      ? [
          {
            title: x.reinspections,
            place: 'inspections' as const,
            path: `/v1/inspections?reinspection_of_id=${id}`,
            filters: { reinspection_of_id: id },
          },
        ]
      : []),
  ],
};

/** The inspection of something; its list across inspections knows the number and name. */
const inspectionColumn = <
  Row extends { inspection_id: string; inspection?: ListedFinding['inspection'] },
>(): Column<Row> => ({
  title: words.workbook.inspection,
  place: 'inspections',
  cell: ({ inspection_id: id, inspection }) => (
    <LinkTo place="inspections" id={id} title={inspection ? titleOf(inspection) : ''} />
  ),
});

const REPORT_MOODS: Record<Report['status'], Mood> = {
  queued: '',
  rendering: '',
  ready: 'good',
  failed: 'bad',
};

const REPORT_STATUSES: Record<Report['status'], string> = {
  queued: t.integrations.queued,
  rendering: t.integrations.running,
  ready: x.ready,
  failed: t.integrations.failed,
};

const reports: Kind<Report & Partial<ListedReport>> = {
  place: 'reports',
  name: t.tabs.reports.name,
  filters: [{ name: 'status', label: t.common.status, options: options(REPORT_STATUSES) }],
  title: (row) => titleAt('reports', row),
  state: ({ status, is_draft, is_stale }) => (
    <>
      <Chip mood={REPORT_MOODS[status]}>{REPORT_STATUSES[status]}</Chip>{' '}
      {is_draft && <Chip mood="">{words.draft}</Chip>} {is_stale && <Chip mood="warn">{x.stale}</Chip>}
    </>
  ),
  Acts: ReportActs,
  columns: [
    {
      title: t.common.name,
      cell: (row) => <LinkTo place="reports" id={row.id} title={versionOf(row)} />,
    },
    { title: t.common.status, cell: (row) => reports.state(row) },
    inspectionColumn(),
    { title: t.common.created, cell: ({ created_at }) => <Time at={created_at} /> },
  ],
  facts: (row) => [
    linkFact(words.workbook.inspection, 'inspections', row.inspection_id),
    fact(t.org.locale, row.language && languageText(row.language)),
    fact(x.pages, row.page_count && numberText(row.page_count)),
    fact(x.problems, row.error && <bdi lang="en">{row.error}</bdi>),
    personFact(t.audit.who, row.requested_by),
    timeFact(x.ready, row.ready_at),
    ...madeFacts(row),
  ],
  related: () => [],
};

const SEVERITY_MOODS: Partial<Record<Finding['severity'], Mood>> = { major: 'warn', critical: 'bad' };

/** Leads to the answer that a finding is about. */
const AnswerLink = ({ finding }: { finding: Finding }) => {
  const query = queryOfAnswer(finding);
  return query ? (
    <a href={addressOfPlace('inspections', finding.inspection_id, query)}>{x.showAnswer}</a>
  ) : null;
};

const findings: Kind<Finding & Partial<ListedFinding>> = {
  place: 'findings',
  name: words.findings,
  search: x.searchStart,
  filters: [
    { name: 'status', label: t.common.status, options: options(words.findingStatuses) },
    { name: 'severity', label: words.workbook.severity, options: options(words.severities) },
    { name: 'repeat', label: words.repeated, options: YES },
  ],
  limits: ['field_id', 'created_after', 'created_before'],
  title: titleOf,
  state: ({ severity, status }) => (
    <>
      <Chip mood={SEVERITY_MOODS[severity] ?? ''}>{words.severities[severity]}</Chip>{' '}
      <Chip mood={status === 'resolved' ? 'good' : ''}>{words.findingStatuses[status]}</Chip>
    </>
  ),
  columns: [
    nameColumn('findings', t.common.name),
    { title: t.common.status, cell: (row) => findings.state(row) },
    inspectionColumn(),
    { title: words.actions, cell: ({ corrective_actions_count }) => numberText(corrective_actions_count) },
    { title: t.common.created, cell: ({ created_at }) => <Time at={created_at} /> },
  ],
  facts: (row) => [
    linkFact(words.workbook.inspection, 'inspections', row.inspection_id),
    fact(words.workbook.answer, row.section_id !== null && <AnswerLink finding={row} />),
    linkFact(words.location, 'locations', row.location_id),
    fact(words.description, row.content.description && <bdi>{row.content.description}</bdi>),
    fact(words.rootCause, row.content.root_cause && <bdi>{row.content.root_cause}</bdi>),
    fact(words.recommendation, row.content.recommendation && <bdi>{row.content.recommendation}</bdi>),
    fact(words.workbook.files, row.content.media.length > 0 && <Files media={row.content.media} />),
    personFact(words.findingStatuses.resolved, row.resolved_by),
    linkFact(x.resolvedIn, 'inspections', row.resolved_by_inspection_id),
    ...madeFacts(row),
  ],
  related: ({ id, inspection_id }) => [
    {
      title: words.actions,
      place: 'corrective-actions',
      path: `/v1/inspections/${inspection_id}/corrective-actions?finding_id=${id}`,
    },
  ],
};

const ACTION_MOODS: Partial<Record<CorrectiveAction['status'], Mood>> = {
  pending_verification: 'warn',
  verified: 'good',
};

const actions: Kind<CorrectiveAction & Partial<ListedCorrectiveAction>> = {
  place: 'corrective-actions',
  name: words.actions,
  ...(isAdmin && { search: x.searchStart }),
  filters: [
    { name: 'status', label: t.common.status, options: options(words.actionStatuses) },
    ...(isAdmin
      ? [
          { name: 'priority', label: words.workbook.priority, options: options(words.priorities) },
          { name: 'is_overdue', label: words.overdue, options: YES },
        ]
      : []),
    REFERENCE,
  ],
  limits: ['created_after', 'created_before'],
  title: titleOf,
  state: ({ status, priority, is_overdue }) => (
    <>
      <Chip mood={ACTION_MOODS[status] ?? ''}>{words.actionStatuses[status]}</Chip>{' '}
      <Chip mood="">{words.priorities[priority]}</Chip> <Overdue is={is_overdue} />
    </>
  ),
  columns: [
    nameColumn('corrective-actions', t.common.name),
    { title: t.common.status, cell: (row) => actions.state(row) },
    ...(isAdmin ? [inspectionColumn()] : []),
    { title: words.assignee, cell: ({ assignee_id }) => <Person id={assignee_id} /> },
    { title: words.due, cell: ({ due_at }) => <TimeOrDash at={due_at} isDay /> },
  ],
  hasActivity: true,
  facts: (row) => [
    isAdmin ? linkFact(words.workbook.inspection, 'inspections', row.inspection_id) : null,
    linkFact(words.concerns, 'findings', row.finding_id),
    linkFact(words.location, 'locations', row.location_id),
    isAdmin ? [words.workbook.files, <Attachments id={row.id} />] : null,
    personFact(words.assignee, row.assignee_id),
    fact(
      x.contact,
      row.contact && <bdi>{[row.contact.name, row.contact.company].filter(Boolean).join(', ')}</bdi>,
    ),
    timeFact(words.due, row.due_at),
    timeFact(words.completed, row.completed_at),
    fact(words.completionNote, row.completion_note && <bdi>{row.completion_note}</bdi>),
    timeFact(words.verified, row.verified_at),
    personFact(words.workbook.verifiedBy, row.verified_by),
    fact(words.verificationNote, row.verification_note && <bdi>{row.verification_note}</bdi>),
    ...madeFacts(row),
  ],
  related: () => [],
};

const ISSUE_STATUSES: Record<Issue['status'], string> = {
  new: x.issueStatuses.new,
  triaged: x.issueStatuses.triaged,
  in_progress: words.statuses.in_progress,
  resolved: words.findingStatuses.resolved,
  closed: words.closed,
  rejected: x.issueStatuses.rejected,
  duplicate: x.issueStatuses.duplicate,
};

const ISSUE_MOODS: Partial<Record<Issue['status'], Mood>> = { new: 'warn', resolved: 'good', closed: 'good' };

const issues: Kind<Issue> = {
  place: 'issues',
  name: t.tabs.issues.name,
  search: x.searchStart,
  filters: [
    { name: 'status', label: t.common.status, options: options(ISSUE_STATUSES) },
    { name: 'priority', label: words.workbook.priority, options: options(words.priorities) },
    { name: 'is_overdue', label: words.overdue, options: YES },
    REFERENCE,
  ],
  title: titleOf,
  state: ({ status, priority, is_overdue }) => (
    <>
      <Chip mood={ISSUE_MOODS[status] ?? ''}>{ISSUE_STATUSES[status]}</Chip>{' '}
      {priority !== 'none' && <Chip mood="">{words.priorities[priority]}</Chip>} <Overdue is={is_overdue} />
    </>
  ),
  ListActs: IssueListActs,
  columns: [
    nameColumn('issues', t.common.name),
    { title: t.common.status, cell: (row) => issues.state(row) },
    column(words.location, 'locations', ({ location_id }) => location_id),
    { title: words.assignee, cell: ({ assignee_id }) => <Person id={assignee_id} /> },
    { title: t.common.created, cell: ({ created_at }) => <Time at={created_at} /> },
  ],
  hasActivity: true,
  facts: (row) => [
    fact(words.description, row.description && <bdi>{row.description}</bdi>),
    fact(words.workbook.files, row.media.length > 0 && <Files media={row.media} />),
    linkFact(words.location, 'locations', row.location_id),
    linkFact(words.client, 'clients', row.client_account_id),
    linkFact(x.asset, 'assets', row.asset_id),
    personFact(words.assignee, row.assignee_id),
    fact(
      x.reporter,
      row.reported_by ? (
        <Person id={row.reported_by} />
      ) : (
        [row.reporter.name, row.reporter.email, row.reporter.phone]
          .filter(Boolean)
          .map((text) => <bdi class="item">{text}</bdi>)
      ),
    ),
    timeFact(x.occurred, row.occurred_at),
    timeFact(words.due, row.due_at),
    timeFact(words.findingStatuses.resolved, row.resolved_at),
    fact(x.resolution, row.resolution && <bdi>{row.resolution}</bdi>),
    linkFact(x.duplicateOf, 'issues', row.duplicate_of_id),
    linkFact(words.workbook.inspection, 'inspections', row.linked.inspection_id),
    linkFact(words.action, 'corrective-actions', row.linked.corrective_action_id),
    ...madeFacts(row),
  ],
  related: () => [],
};

const FAMILY_MOODS: Partial<Record<Family['status'], Mood>> = { published: 'good', draft: 'warn' };

const FAMILY_STATUSES: Record<Family['status'], string> = {
  draft: words.draft,
  published: x.published,
  archived: words.statuses.archived,
};

const templates: Kind<Family> = {
  place: 'templates',
  name: t.tabs.templates.name,
  search: x.searchName,
  filters: [
    { name: 'tag', label: x.tag },
    { name: 'archived', label: words.statuses.archived, options: YES.toSpliced(0, 1, ['', t.common.no]) },
  ],
  title: titleOf,
  state: ({ status }) => <Chip mood={FAMILY_MOODS[status] ?? ''}>{FAMILY_STATUSES[status]}</Chip>,
  columns: [
    nameColumn('templates', t.common.name),
    { title: t.common.status, cell: (row) => templates.state(row) },
    { title: x.tag, cell: ({ tags }) => <bdi>{tags.join(', ') || '–'}</bdi> },
    { title: x.changed, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ],
  facts: (row) => [
    fact(x.tag, row.tags.length > 0 && <bdi>{row.tags.join(', ')}</bdi>),
    [x.requiresApproval, row.requires_approval ? t.common.yes : t.common.no],
    [x.requiresSignOff, row.requires_sign_off ? t.common.yes : t.common.no],
    timeFact(words.statuses.archived, row.archived_at),
    ...madeFacts(row),
  ],
  Content: TemplateContent,
  related: ({ id }) => [inspectionsOf({ template_family_id: id }), schedulesOf({ template_family_id: id })],
};

const SCHEDULE_MOODS: Record<Schedule['status'], Mood> = { active: 'good', paused: 'warn', ended: '' };

const SCHEDULE_STATUSES: Record<Schedule['status'], string> = {
  active: t.webhooks.active,
  paused: t.integrations.paused,
  ended: x.ended,
};

/** The months that a rule leaves out, and what would include them. */
const LeftOutMonths = ({ months, sometimes, skip }: NonNullable<Schedule['left_out']>) => (
  <>
    {months.length > 0 && <span class="item">{monthsText(months)}</span>}
    {sometimes.length > 0 && (
      <span class="item">{fill(x.leftOutSometimes, { months: monthsText(sometimes) })}</span>
    )}
    {skip.map((value) => (
      <span class="item" key={value}>
        {x.skips[value]}
      </span>
    ))}
  </>
);

const schedules: Kind<Schedule> = {
  place: 'schedules',
  name: t.tabs.schedules.name,
  search: x.searchName,
  filters: [
    { name: 'status', label: t.common.status, options: options(SCHEDULE_STATUSES) },
    { name: 'has_problems', label: x.problems, options: YES },
    REFERENCE,
  ],
  title: titleOf,
  state: ({ status, problems }) => (
    <>
      <Chip mood={SCHEDULE_MOODS[status]}>{SCHEDULE_STATUSES[status]}</Chip>{' '}
      {problems.length > 0 && <Chip mood="bad">{x.problems}</Chip>}
    </>
  ),
  columns: [
    nameColumn('schedules', t.common.name),
    { title: t.common.status, cell: (row) => schedules.state(row) },
    { title: words.template, cell: (row) => <LinkTo place="templates" id={row.template_family_id} /> },
    { title: x.next, cell: ({ next_occurrence_at }) => <TimeOrDash at={next_occurrence_at} /> },
  ],
  facts: (row) => [
    fact(
      x.problems,
      row.problems.map(({ kind, location_id, user_id }) => (
        <span class="item" key={`${kind} ${location_id} ${user_id}`}>
          {x.problemKinds[kind]} {location_id && <LinkTo place="locations" id={location_id} />}
          {user_id && <Person id={user_id} />}
        </span>
      )),
    ),
    fact(x.recurrence, <bdi>{row.description}</bdi>),
    fact(x.leftOut, row.left_out && <LeftOutMonths {...row.left_out} />),
    timeFact(x.next, row.next_occurrence_at),
    linkFact(words.template, 'templates', row.template_family_id),
    linkFact(words.client, 'clients', row.client_account_id),
    fact(
      t.tabs.locations.name,
      row.location_ids.map((id) => (
        <span class="item" key={id}>
          <LinkTo place="locations" id={id} />
        </span>
      )),
    ),
    fact(
      t.tabs.assets.name,
      row.asset_ids.map((id) => (
        <span class="item" key={id}>
          <LinkTo place="assets" id={id} />
        </span>
      )),
    ),
    fact(
      words.assignee,
      row.assignee_ids.map((id) => (
        <span class="item" key={id}>
          <Person id={id} />
        </span>
      )),
    ),
    personFact(t.members.approver, row.approver_id),
    ...madeFacts(row),
  ],
  Content: ScheduleDates,
  related: ({ id }) => [inspectionsOf({ schedule_id: id })],
};

const ACTIVE = (is: boolean) => <Chip mood={is ? 'good' : ''}>{is ? t.webhooks.active : x.inactive}</Chip>;

const clients: Kind<ClientAccount> = {
  place: 'clients',
  name: t.tabs.clients.name,
  search: x.searchName,
  filters: [
    {
      name: 'is_active',
      label: t.common.status,
      options: options({ true: t.webhooks.active, false: x.inactive }),
    },
    REFERENCE,
  ],
  title: titleOf,
  state: ({ is_active }) => ACTIVE(is_active),
  Acts: ClientActs,
  columns: [
    nameColumn('clients', t.common.name),
    { title: t.common.status, cell: (row) => clients.state(row) },
    { title: t.tabs.locations.name, cell: ({ locations_count }) => numberText(locations_count) },
    { title: x.externalRef, cell: ({ external_ref }) => <bdi>{external_ref ?? '–'}</bdi> },
  ],
  facts: (row) => [
    fact(
      x.contact,
      [row.contact.name, row.contact.email, row.contact.phone]
        .filter(Boolean)
        .map((text) => <bdi class="item">{text}</bdi>),
    ),
    fact(words.note, row.notes && <bdi>{row.notes}</bdi>),
    [t.tabs.locations.name, numberText(row.locations_count)],
    ...madeFacts(row),
  ],
  related: ({ id }) => [
    {
      title: t.tabs.locations.name,
      place: 'locations',
      path: `/v1/locations?client_account_id=${id}`,
      filters: { client_account_id: id },
    },
    inspectionsOf({ client_account_id: id }),
    findingsOf({ client_account_id: id }),
    actionsOf({ client_account_id: id }),
    issuesOf({ client_account_id: id }),
    schedulesOf({ client_account_id: id }),
    certificatesOf({ client_account_id: id }),
  ],
};

const locations: Kind<Location> = {
  place: 'locations',
  name: t.tabs.locations.name,
  search: x.searchHelp,
  isByOffset: true,
  filters: [
    {
      name: 'status',
      label: t.common.status,
      options: options({ active: t.webhooks.active, inactive: x.inactive }),
    },
    REFERENCE,
  ],
  title: titleOf,
  state: ({ status }) => ACTIVE(status === 'active'),
  columns: [
    nameColumn('locations', t.common.name),
    { title: t.common.status, cell: (row) => locations.state(row) },
    { title: x.address, cell: ({ address }) => <bdi>{address ?? '–'}</bdi> },
    column(words.client, 'clients', ({ client_account_id }) => client_account_id),
  ],
  facts: (row) => [
    fact(words.workbook.type, row.kind && <bdi>{row.kind}</bdi>),
    linkFact(x.partOf, 'locations', row.parent_id),
    linkFact(words.client, 'clients', row.client_account_id),
    linkFact(x.region, 'regions', row.region_id),
    fact(x.address, row.address && <bdi>{row.address}</bdi>),
    fact(t.org.timezone, row.timezone),
    fact(
      x.people,
      row.people.map(({ user_id, role }) => (
        <span class="item" key={`${user_id} ${role}`}>
          <Person id={user_id} /> <bdi class="sub">{role}</bdi>
        </span>
      )),
    ),
    ...madeFacts(row),
  ],
  related: ({ id }) => [
    inspectionsOf({ location_id: id }),
    findingsOf({ location_id: id }),
    actionsOf({ location_id: id }),
    issuesOf({ location_id: id }),
    assetsOf({ location_id: id }),
    schedulesOf({ location_id: id }),
    certificatesOf({ location_id: id }),
  ],
};

const regions: Kind<Region> = {
  place: 'regions',
  name: t.tabs.regions.name,
  search: x.searchName,
  filters: [REFERENCE],
  title: titleOf,
  state: ({ kind }) =>
    kind && (
      <Chip mood="">
        <bdi>{kind}</bdi>
      </Chip>
    ),
  columns: [
    nameColumn('regions', t.common.name),
    { title: words.workbook.type, cell: ({ kind }) => <bdi>{kind ?? '–'}</bdi> },
    column(x.partOf, 'regions', ({ parent_id }) => parent_id),
  ],
  facts: (row) => [linkFact(x.partOf, 'regions', row.parent_id), ...madeFacts(row)],
  related: ({ id }) => [
    { title: t.tabs.regions.name, place: 'regions', path: `/v1/regions?parent_id=${id}` },
    {
      title: t.tabs.locations.name,
      place: 'locations',
      path: `/v1/locations?region_id=${id}`,
      filters: { region_id: id },
    },
    findingsOf({ region_id: id }),
    actionsOf({ region_id: id }),
  ],
};

const ASSET_MOODS: Record<Asset['status'], Mood> = {
  in_service: 'good',
  out_of_service: 'warn',
  decommissioned: '',
};

const AssetListActs = () => (
  <p class="bar">
    <a href={addressOfPlace('asset-kinds')}>{t.tabs['asset-kinds'].name}</a>
  </p>
);

/** A value in a field of an asset's kind. */
const valueText = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? t.common.yes : t.common.no;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
};

const assets: Kind<Asset> = {
  place: 'assets',
  name: t.tabs.assets.name,
  search: x.searchStart,
  filters: [{ name: 'status', label: t.common.status, options: options(x.assetStatuses) }, REFERENCE],
  title: titleOf,
  state: ({ status }) => <Chip mood={ASSET_MOODS[status]}>{x.assetStatuses[status]}</Chip>,
  Acts: AssetActs,
  ListActs: AssetListActs,
  columns: [
    nameColumn('assets', t.common.name),
    { title: t.common.status, cell: (row) => assets.state(row) },
    column(words.workbook.type, 'asset-kinds', ({ kind_id }) => kind_id),
    column(words.location, 'locations', ({ location_id }) => location_id),
    { title: x.serial, cell: ({ serial }) => <bdi>{serial ?? '–'}</bdi> },
  ],
  hasActivity: true,
  facts: (row) => [
    linkFact(words.workbook.type, 'asset-kinds', row.kind_id),
    linkFact(words.location, 'locations', row.location_id),
    linkFact(x.partOf, 'assets', row.parent_id),
    fact(x.manufacturer, row.manufacturer && <bdi>{row.manufacturer}</bdi>),
    fact(x.serial, row.serial && <bdi>{row.serial}</bdi>),
    timeFact(x.installed, row.installed_at),
    timeFact(x.assetStatuses.decommissioned, row.decommissioned_at),
    ...row.values.map(({ label, value }) => fact(label, <bdi>{valueText(value)}</bdi>)),
    fact(words.workbook.files, row.media.length > 0 && <Files media={row.media} />),
    fact(x.tag, row.tags.length > 0 && <bdi>{row.tags.join(', ')}</bdi>),
    ...madeFacts(row),
  ],
  related: ({ id }) => [
    { title: t.tabs.assets.name, place: 'assets', path: `/v1/assets?parent_id=${id}` },
    inspectionsOf({ asset_id: id }),
    findingsOf({ asset_id: id }),
    actionsOf({ asset_id: id }),
    issuesOf({ asset_id: id }),
    certificatesOf({ asset_id: id }),
  ],
};

const assetKinds: Kind<AssetKind> = {
  place: 'asset-kinds',
  name: t.tabs['asset-kinds'].name,
  filters: [],
  title: titleOf,
  state: () => null,
  columns: [
    nameColumn('asset-kinds', t.common.name),
    {
      title: x.fields,
      cell: ({ fields }) => <bdi>{fields.map(({ label }) => label).join(', ') || '–'}</bdi>,
    },
  ],
  facts: (row) => [
    fact(
      x.fields,
      row.fields.map(({ id, label }) => (
        <bdi class="item" key={id}>
          {label}
        </bdi>
      )),
    ),
    ...madeFacts(row),
  ],
  related: ({ id }) => [assetsOf({ kind_id: id })],
};

const CERTIFICATE_MOODS: Record<Certificate['status'], Mood> = {
  valid: 'good',
  expired: '',
  suspended: 'warn',
  revoked: 'bad',
};

const CertificateListActs = () => (
  <p class="bar">
    <a href={addressOfPlace('certificate-kinds')}>{t.tabs['certificate-kinds'].name}</a>
  </p>
);

const certificates: Kind<Certificate> = {
  place: 'certificates',
  name: t.tabs.certificates.name,
  filters: [{ name: 'status', label: t.common.status, options: options(x.certificateStatuses) }],
  title: titleOf,
  state: ({ status }) => <Chip mood={CERTIFICATE_MOODS[status]}>{x.certificateStatuses[status]}</Chip>,
  Acts: CertificateActs,
  ListActs: CertificateListActs,
  columns: [
    nameColumn('certificates', t.common.name),
    { title: t.common.status, cell: (row) => certificates.state(row) },
    column(x.asset, 'assets', ({ asset_id }) => asset_id),
    column(words.location, 'locations', ({ location_id }) => location_id),
    { title: x.validUntil, cell: ({ expires_at }) => <Time at={expires_at} isDay /> },
  ],
  facts: (row) => [
    linkFact(words.workbook.type, 'certificate-kinds', row.kind_id),
    linkFact(words.workbook.inspection, 'inspections', row.inspection_id),
    linkFact(words.template, 'templates', row.template_family_id),
    linkFact(x.asset, 'assets', row.asset_id),
    linkFact(words.location, 'locations', row.location_id),
    linkFact(words.client, 'clients', row.client_account_id),
    timeFact(x.issued, row.issued_at),
    timeFact(x.validUntil, row.expires_at),
    fact(words.reason, row.status_reason && <bdi>{row.status_reason}</bdi>),
    personFact(words.changedBy, row.status_changed_by),
    ...madeFacts(row),
  ],
  related: () => [],
};

const certificateKinds: Kind<CertificateKind> = {
  place: 'certificate-kinds',
  name: t.tabs['certificate-kinds'].name,
  filters: [],
  title: titleOf,
  state: ({ is_active }) => ACTIVE(is_active),
  columns: [
    nameColumn('certificate-kinds', t.common.name),
    { title: t.common.status, cell: (row) => certificateKinds.state(row) },
    column(words.template, 'templates', ({ template_family_id }) => template_family_id),
    { title: words.number, cell: ({ series }) => <bdi>{series}</bdi> },
  ],
  facts: (row) => [
    linkFact(words.template, 'templates', row.template_family_id),
    [words.number, <bdi>{row.series}</bdi>],
    ...madeFacts(row),
  ],
  related: ({ id }) => [certificatesOf({ kind_id: id })],
};

const relatedBy =
  (place: AdminPlace, title: string, path: string) =>
  (filters: Record<string, string>): Related => ({
    title,
    place,
    path: `/v1${path}?${new URLSearchParams(filters).toString()}`,
    filters,
  });

const inspectionsOf = relatedBy('inspections', t.tabs.inspections.name, '/inspections');
const issuesOf = relatedBy('issues', t.tabs.issues.name, '/issues');
const findingsOf = relatedBy('findings', words.findings, '/findings');
const actionsOf = relatedBy('corrective-actions', words.actions, '/corrective-actions');
const assetsOf = relatedBy('assets', t.tabs.assets.name, '/assets');
const certificatesOf = relatedBy('certificates', t.tabs.certificates.name, '/certificates');
const schedulesOf = relatedBy('schedules', t.tabs.schedules.name, '/inspection-schedules');

// Each is used only with rows of its own place.
const KINDS = [
  inspections,
  reports,
  findings,
  actions,
  issues,
  templates,
  schedules,
  clients,
  locations,
  regions,
  assets,
  assetKinds,
  certificates,
  certificateKinds,
  bulkChanges,
] as unknown as readonly Kind<{ id: string }>[];

/** The kind of object that has its pages at a place. */
export const kindAt = (place: AdminPlace): Kind<{ id: string }> | undefined =>
  KINDS.find((kind) => kind.place === place);

/** The filters that links set, and the kind of object that each names. */
const FILTERED_BY: Readonly<Record<string, AdminPlace>> = {
  asset_id: 'assets',
  client_account_id: 'clients',
  kind_id: 'asset-kinds',
  location_id: 'locations',
  region_id: 'regions',
  template_family_id: 'templates',
  schedule_id: 'schedules',
  within: 'locations',
  inspection_id: 'inspections',
  reinspection_of_id: 'inspections',
};

/** The same for the list of a place. */
export const filteredBy = (place: AdminPlace): Readonly<Record<string, AdminPlace>> =>
  place === 'certificates' ? { ...FILTERED_BY, kind_id: 'certificate-kinds' } : FILTERED_BY;

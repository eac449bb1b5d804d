import * as z from 'zod';
import { ClosedNames } from '../closed-names.ts';
import {
  ActedViaKeyId,
  ExternalRef,
  Instant,
  listQuery,
  RequiredText,
  searchFilter,
  Text,
  Timestamp,
  Title,
  Uuid,
} from '../common.ts';
import { Email } from '../contact.ts';
import { NewCorrectiveAction } from '../corrective-action.ts';
import { Media } from '../inspections/answer.ts';
import { NewInspection } from '../inspections/inspection.ts';
import { labelFields, labelFilters } from '../labels.ts';
import {
  changedAs,
  derived,
  initially,
  later,
  omittable,
  once,
  optional,
  resource,
  shownAs,
  unseen,
} from '../resource.ts';
import { aboveFilters, anyOf, overdueFilters } from '../surroundings.ts';
import { IssuePriority, MAX_QUESTIONS } from './category.ts';

export const IssueStatus = z.enum([
  'new',
  'triaged',
  'in_progress',
  'resolved',
  'closed',
  'rejected',
  'duplicate',
]);
export type IssueStatus = z.output<typeof IssueStatus>;

export const IssueSource = z.enum(['member', 'api', 'public_link', 'inspection']);
export type IssueSource = z.output<typeof IssueSource>;

export const Reporter = z
  .strictObject({
    name: z.string().max(200).nullable(),
    email: Email.nullable(),
    phone: z.string().max(50).nullable(),
  })
  .meta({ id: 'Reporter', description: 'Whoever reported the issue, as far as they said.' });
export type Reporter = z.output<typeof Reporter>;

const NewAnswer = z
  .strictObject({
    question_id: Uuid,
    value: z.unknown().meta({
      description:
        'In the form of an answer to a field of the same type; null when the question is not answered.',
    }),
  })
  .meta({ id: 'NewIssueAnswer' });

const NewAnswers = z.array(NewAnswer).max(MAX_QUESTIONS).meta({
  description:
    'Answers to the questions of the category. They are checked like the answers of an inspection, and required questions must have one.',
});

const Answer = z
  .strictObject({
    question_id: Uuid,
    label: z.string().meta({ description: 'The question as it was when it was answered.' }),
    value: z.unknown(),
  })
  .meta({ id: 'IssueAnswer' });
export type IssueAnswer = z.output<typeof Answer>;

const Linked = z
  .strictObject({
    inspection_id: Uuid.nullable().meta({
      description: 'The inspection that was last started from the issue, or in which it was reported.',
    }),
    finding_id: Uuid.nullable().meta({ description: 'A finding of that inspection.' }),
    corrective_action_id: Uuid.nullable().meta({
      description: 'The corrective action that was last created from the issue.',
    }),
  })
  .meta({ id: 'IssueLinks', description: 'What is done about the issue.' });

export const { Issue, NewIssue, IssueChanges } = resource(
  'Issue',
  {
    title: Title,
    description: initially('', Text),
    category_id: optional(Uuid.nullable()),
    priority: omittable(IssuePriority, 'The `default_priority` of the category when left out.'),
    occurred_at: shownAs(
      Timestamp.nullable(),
      optional(Instant.nullable().meta({ description: 'When it happened or was seen.' })),
    ),
    location_id: omittable(Uuid.nullable()),
    asset_id: optional(
      Uuid.nullable().meta({
        description:
          'The asset that it is about. An issue that is created without a `location_id` is where the asset is.',
      }),
    ),
    client_account_id: changedAs(
      Uuid.nullable(),
      omittable(
        Uuid.nullable().meta({
          description: 'When left out, the client account of the location, if it has one.',
        }),
      ),
    ),
    answers: shownAs(z.array(Answer), initially([], NewAnswers)),
    media: initially([], Media),
    assignee_id: omittable(
      Uuid.nullable().meta({
        description:
          'The user id of an active member or of an API key’s service identity; null when unassigned.',
      }),
      'The `default_assignee_id` of the category when left out, if that member is active.',
    ),
    due_at: shownAs(
      Timestamp.nullable(),
      omittable(
        Instant.nullable(),
        'When it should be done; null for no due time. When left out, it is the time of the report and the `sla_hours` of the category.',
      ),
    ),
    inspection_id: unseen(
      once(
        optional(
          Uuid.nullable(),
          'The inspection in which it was seen. The `source` is then `inspection`, and the issue has the location and the client account of the inspection when both are left out.',
        ),
      ),
    ),
    external_ref: optional(ExternalRef.nullable()),
    ...labelFields,
    ...derived({
      number: z
        .int()
        .min(1)
        .meta({ description: 'A sequential number within the organization; gaps are possible.' }),
    }),
    status: later(IssueStatus, 'The new status, if the current one leads there.'),
    ...derived({
      source: IssueSource.meta({
        description:
          '`member`: a signed-in person; `api`: an API key; `public_link`: somebody with a public link; `inspection`: it was reported in an inspection.',
      }),
      public_link_id: Uuid.nullable().meta({ description: 'The public link by which it was reported.' }),
    }),
    reporter: shownAs(Reporter, initially({}, Reporter.partial())),
    ...derived({
      reported_by: Uuid.nullable().meta({
        description: 'The user id of the member or key; null for one that came by a public link.',
      }),
      is_overdue: z
        .boolean()
        .meta({ description: 'Whether `due_at` has passed while the issue is new, triaged or in_progress.' }),
      triaged_at: Timestamp.nullable().meta({ description: 'When it left the status `new`.' }),
      resolved_at: Timestamp.nullable(),
      closed_at: Timestamp.nullable(),
      names_then: ClosedNames.nullable(),
    }),
    resolution: later(Text),
    duplicate_of_id: later(
      Uuid.nullable(),
      'The issue that says the same. The status `duplicate` needs one, and no other status has one.',
    ),
    ...derived({ linked: Linked }),
    note: unseen(
      later(
        RequiredText,
        'Why; the history shows it with the new status. Reopening a resolved or closed issue needs one.',
      ),
    ),
  },
  {
    description: 'Something that somebody reported and that needs a look.',
    version: 'Increases with every change and comment.',
    created: { before: { reporter: 'assignee_id' } },
    changed: { before: { status: 'note' } },
  },
);
export type Issue = z.output<typeof Issue>;
export type NewIssue = z.output<typeof NewIssue>;
export type IssueChanges = Omit<z.output<typeof IssueChanges>, 'expected_version'>;

const IssueActivityKind = z.enum([
  'created',
  'status_changed',
  'assigned',
  'due_changed',
  'priority_changed',
  'category_changed',
  'edited',
  'commented',
  'inspection_started',
  'inspection_status_changed',
  'corrective_action_created',
  'corrective_action_status_changed',
]);
export type IssueActivityKind = z.output<typeof IssueActivityKind>;

export const IssueActivity = z
  .strictObject({
    id: Uuid,
    kind: IssueActivityKind,
    actor_id: Uuid.nullable().meta({
      description: 'Who did it, by `user_id`; null for a visitor of a public link.',
    }),
    acted_via_key_id: ActedViaKeyId,
    inspection_id: Uuid.nullable().meta({
      description:
        'For an entry about an inspection or its actions: the inspection that was started from the issue.',
    }),
    corrective_action_id: Uuid.nullable(),
    from: z.string().nullable().meta({
      description:
        'The status, assignee, due time, priority or category before the change; null when there was none.',
    }),
    to: z.string().nullable().meta({
      description:
        'The id of the location, or the status, after the change; for an edit, the names of the fields that it changed.',
    }),
    note: Text,
    at: Timestamp,
  })
  .meta({
    id: 'IssueActivity',
    description: 'One event in the history of an issue, or of what is done about it.',
  });
export type IssueActivity = z.output<typeof IssueActivity>;

const {
  prefill_from_inspection_id: _prefill,
  allow_inactive: _allowed,
  ...newInspectionFields
} = NewInspection.shape;

const FROM_ISSUE = 'That of the issue when left out.';

export const NewIssueInspection = z
  .strictObject({
    ...newInspectionFields,
    client_account_id: Uuid.nullable().optional().meta({ description: FROM_ISSUE }),
    location_id: Uuid.nullable().optional().meta({ description: FROM_ISSUE }),
    asset_id: Uuid.nullable().optional().meta({ description: FROM_ISSUE }),
  })
  .meta({ id: 'NewIssueInspection' });
export type NewIssueInspection = z.output<typeof NewIssueInspection>;

const {
  contact: _contact,
  completed_on_site: _onSite,
  completion_note: _note,
  evidence: _evidence,
  ...newActionFields
} = NewCorrectiveAction.shape;

export const NewIssueAction = z
  .strictObject({
    ...newActionFields,
    finding_id: Uuid.nullable().default(null).meta({
      description:
        'A finding of the inspection that the issue is linked to. When left out, the finding of the issue itself, which is created with its first action.',
    }),
  })
  .meta({ id: 'NewIssueAction' });
export type NewIssueAction = z.output<typeof NewIssueAction>;

const status = z
  .array(IssueStatus)
  .max(IssueStatus.options.length)
  .optional()
  .meta({ description: 'Any of these statuses; the parameter can be repeated.' });

export const issueQuery = listQuery({
  status,
  category_id: Uuid.optional().meta({ description: 'Only issues of this category.' }),
  priority: z
    .array(IssuePriority)
    .max(IssuePriority.options.length)
    .optional()
    .meta({ description: 'Any of these priorities; the parameter can be repeated.' }),
  assignee_id: Uuid.optional().meta({ description: 'Only issues of this assignee, by `user_id`.' }),
  location_id: Uuid.optional().meta({ description: 'Only issues at this location.' }),
  ...aboveFilters,
  asset_id: anyOf(Uuid, 'Only issues about one of these assets.'),
  client_account_id: Uuid.optional().meta({ description: 'Only issues of this client account.' }),
  source: anyOf(IssueSource, 'Only from one of these sources.'),
  ...overdueFilters,
  ...searchFilter,
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
  ...labelFilters,
});
export type IssueQuery = z.output<typeof issueQuery>;

import * as z from 'zod';
import {
  Count,
  ExternalRef,
  Instant,
  listQuery,
  Name,
  searchFilter,
  Tag,
  Timestamp,
  Uuid,
  VisibleText,
  UNNOTICED,
} from '../common.ts';
import { InspectionStatus } from '../inspections/inspection.ts';
import { MAX_LABELS } from '../labels.ts';
import {
  Duration,
  durationInDays,
  LeftOut,
  LocalDate,
  Recurrence,
  RecurrenceWarning,
  Window,
} from '../recurrence.ts';
import { changedAs, derived, initially, later, optional, resource, shownAs } from '../resource.ts';

/** Locations of a schedule. An occurrence has an inspection for each of them. */
const MAX_LOCATIONS = 200;

/** Assets of a schedule. An occurrence has an inspection for each of them. */
const MAX_ASSETS = 200;

/** Places of a schedule that are listed, and places or assets that its filter finds. */
export const MAX_PLACES = 10_000;

/** Assignees of a schedule. They are participants of each of its inspections. */
const MAX_ASSIGNEES = 20;

/** The maximum number of days between the creation of an inspection and its start. */
const MAX_CREATE_AHEAD_DAYS = 90;

/** Characters of an override's reason. */
const MAX_REASON = 500;

export const ScheduleStatus = z.enum(['active', 'paused', 'ended']);
export type ScheduleStatus = z.output<typeof ScheduleStatus>;

export const ScheduleProblem = z
  .strictObject({
    kind: z.enum([
      'template_not_initiable',
      'client_account_gone',
      'location_gone',
      'assignee_left',
      'approver_left',
    ]),
    resource_id: Uuid.meta({ description: 'The template family, client account, location or member.' }),
    message: z.string(),
    since: Timestamp,
  })
  .meta({
    id: 'ScheduleProblem',
    description:
      'Why no inspections can be created; `problems` also lists what keeps only some of them from it. None is created meanwhile; the schedule goes on by itself within minutes after the problem is solved. `location_gone` means that none of the locations is left. A schedule goes on without assignees or an approver who have left, so `assignee_left` and `approver_left` occur only in `problems`.',
  });
export type ScheduleProblem = z.output<typeof ScheduleProblem>;

export const MissingForSchedule = z
  .strictObject({
    kind: z
      .enum([
        'template_not_initiable',
        'client_account_gone',
        'approver_left',
        'location_deleted',
        'location_inactive',
        'assignee_left',
        'too_many_places',
      ])
      .meta({
        description: `What is missing. Without its template or client account, a schedule creates nothing. Without a location, it creates the inspections of all others. Without an assignee, it assigns all others. Without its approver, the inspections have none: those whom the template family names approve them or, where it names nobody, anybody who may. \`too_many_places\`: a filter finds more than ${MAX_PLACES} locations or assets. The first of them get inspections, by the names of the locations.`,
      }),
    location_id: Uuid.nullable().meta({ description: 'The location that is missing; null when none is.' }),
    user_id: Uuid.nullable().meta({ description: 'The member that is missing; null when none is.' }),
    since: Timestamp,
  })
  .meta({ id: 'MissingForSchedule', description: 'Something that a schedule names and that is not there.' });
export type MissingForSchedule = z.output<typeof MissingForSchedule>;

/** Ids without duplicates. */
const ids = (most: number) =>
  z
    .array(Uuid)
    .max(most)
    .check(({ value, issues }) => {
      const seen = new Set<string>();
      for (const [position, id] of value.entries()) {
        if (seen.has(id)) {
          issues.push({
            code: 'custom',
            message: 'Value error, id is given twice',
            input: id,
            path: [position],
          });
        }
        seen.add(id);
      }
    });

const Assignees = ids(MAX_ASSIGNEES);

const Reason = z
  .string()
  .max(MAX_REASON)
  .nullable()
  .pipe(VisibleText.nullable())
  .transform((text) => text || null);

export const OverrideAction = z.enum(['skip', 'move', 'reassign', 'cancel']).meta({
  description:
    '`skip` and `cancel` leave the occurrence out; the calendar shows it as `skipped` or `cancelled`. `move` gives it another time, `reassign` other assignees.',
});

export const { ScheduleOverride, NewScheduleOverride } = resource(
  'ScheduleOverride',
  {
    occurrence_date: shownAs(
      LocalDate.meta({ description: 'The date that the rule names, in its time zone.' }),
      LocalDate.meta({
        description: 'The date that the rule names, in its time zone; also of an occurrence that moves.',
      }),
    ),
    action: OverrideAction,
    new_at: shownAs(
      Timestamp.nullable().meta({ description: 'When a moved occurrence starts.' }),
      optional(Instant.nullable(), 'When a moved occurrence starts. Required with `move`.'),
    ),
    assignee_ids: shownAs(
      z
        .array(Uuid)
        .nullable()
        .meta({ description: 'The other assignees, by `user_id`; null where the assignees stay.' }),
      optional(Assignees.nullable(), 'The other assignees. Required with `reassign`, possible with `move`.'),
    ),
    reason: shownAs(z.string().nullable(), optional(Reason)),
    ...derived({ created_by: Uuid }),
  },
  {
    description: 'An exception for one occurrence of a schedule.',
    version: null,
    created: {
      check: ({ value: { action, new_at, assignee_ids }, issues }) => {
        const miss = (name: string) =>
          issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: [name] });
        const refuse = (name: string, input: unknown) =>
          issues.push({ code: 'custom', message: `Value error, not with ${action}`, input, path: [name] });
        if (action === 'move' && new_at === null) miss('new_at');
        if (action !== 'move' && new_at !== null) refuse('new_at', new_at);
        if (action === 'reassign' && assignee_ids === null) miss('assignee_ids');
        if (action !== 'move' && action !== 'reassign' && assignee_ids !== null)
          refuse('assignee_ids', assignee_ids);
      },
    },
  },
);
export type ScheduleOverride = z.output<typeof ScheduleOverride>;
export type NewScheduleOverride = z.output<typeof NewScheduleOverride>;

const Places = z
  .strictObject({
    location_ids: ids(MAX_PLACES).min(1).optional().meta({ description: 'These locations, and no filter.' }),
    client_account_id: Uuid.nullable()
      .optional()
      .meta({ description: 'Only locations of this client account.' }),
    within: Uuid.nullable().optional().meta({ description: 'Only this location and what is below it.' }),
    region_id: Uuid.nullable()
      .optional()
      .meta({ description: 'Only locations in this region, or in one that is below it.' }),
    tags: z
      .array(Tag)
      .max(MAX_LABELS)
      .optional()
      .meta({ description: 'Only locations with one of these tags; case is ignored.' }),
    asset_kind_id: Uuid.nullable().optional().meta({
      description:
        'Instead of one for each of these locations, an inspection for each asset of this kind that is directly at one of them and is not decommissioned.',
    }),
  })
  .check(({ value, issues }) => {
    const { location_ids, ...filters } = value;
    if (location_ids && Object.values(filters).some((filter) => filter && filter.length > 0)) {
      const message = 'Value error, either location_ids or a filter';
      issues.push({ code: 'custom', message, input: value, path: ['location_ids'] });
    }
  })
  .meta({
    id: 'GivenPlaces',
    examples: [{ within: '01914f7c-2b4e-7c1a-9d52-0a7c6e1f8b3d' }],
    description: `Instead of \`location_ids\`: up to ${MAX_PLACES} locations, or a filter that finds active locations anew for each occurrence. An empty filter finds all of the organization.`,
  });
export type GivenPlaces = z.output<typeof Places>;

export const SchedulePlaces = z
  .strictObject({
    location_ids: z
      .array(Uuid)
      .nullable()
      .meta({ description: 'The listed locations; null for a filter, and in lists and events.' }),
    locations_count: Count.nullable().meta({
      description: 'The number of listed locations; null for a filter.',
    }),
    client_account_id: Uuid.nullable(),
    within: Uuid.nullable(),
    region_id: Uuid.nullable().meta({
      description: 'Only locations of this region; null for those of any region, and of none.',
    }),
    tags: z
      .array(z.string())
      .meta({ description: 'Only locations with one of these tags; empty for those with any tags or none.' }),
    asset_kind_id: Uuid.nullable().meta({
      description: 'The kind of the assets at these locations that are inspected; null for the locations.',
    }),
  })
  .meta({ id: 'SchedulePlaces', description: 'Where a schedule with many locations creates inspections.' });
export type SchedulePlaces = z.output<typeof SchedulePlaces>;

/** Days of the longest time between two visits. */
const MAX_DAYS_BETWEEN_VISITS = 3_720;

const After = z
  .strictObject({
    of: z.enum(['pass', 'completion']).meta({
      description:
        '`completion`: every completed visit counts. `pass`: those count whose score does not have the result `fail`.',
    }),
    every: durationInDays(MAX_DAYS_BETWEEN_VISITS).meta({
      description: 'An ISO 8601 duration of whole days or longer.',
      examples: ['P12M'],
    }),
  })
  .meta({
    id: 'After',
    description:
      'Instead of a rule: each location is visited again a fixed time after its last visit that counts was handed in, so that the dates follow the certificates. A visit is an inspection of the schedule, or a re-inspection of one. An archived one does not count, and a correction may change whether one counts. The first visit is on the date of `dtstart_local` or, when that has passed, on the first day possible. The next visit is created only after the current one has ended. After a visit that did not count, the next one is created when `due_after` has passed. The schedule needs locations or assets. Each asset has its own next visit, wherever it is by then.',
  });
export type After = z.output<typeof After>;

const ScheduleRecurrence = Recurrence.extend({
  rrule: z
    .union([Recurrence.shape.rrule, z.literal('')])
    .default('')
    .meta({
      description: 'As in `Recurrence`; empty with `after`, and required without it.',
    }),
}).meta({ id: 'ScheduleRecurrence', description: 'When a schedule recurs: see `Recurrence`.' });

export const { Schedule, NewSchedule, ScheduleChanges } = resource(
  'Schedule',
  {
    title: Name.meta({ description: 'Also the name of its inspections.' }),
    template_family_id: Uuid,
    client_account_id: optional(Uuid.nullable()),
    location_ids: shownAs(
      z.array(Uuid),
      initially(
        [],
        ids(MAX_LOCATIONS).meta({
          description:
            'Each occurrence is one inspection for each of these locations. Without locations, `asset_ids` and `places`, it is a single inspection of the client account.',
        }),
      ),
    ),
    asset_ids: shownAs(
      z.array(Uuid),
      initially(
        [],
        ids(MAX_ASSETS).meta({
          description:
            'Instead of `location_ids` or `places`: each occurrence is one inspection for each of these assets, where it is by then. An asset gets none while its location is inactive, or of another client account than the schedule. One that is decommissioned is taken out of the schedule.',
        }),
      ),
    ),
    places: shownAs(SchedulePlaces.nullable(), optional(Places.nullable())),
    timezone: optional(
      z.enum(['location']).nullable().meta({
        description:
          '`location`: at each location an occurrence starts when the clocks there show its time; a location without a time zone uses that of the recurrence. The inspections of an occurrence are created together, up to 26 hours earlier than `create_ahead_days` says. A moved occurrence starts at each location when the clocks there show what those of the recurrence show at `new_at`.',
      }),
    ),
    assignees: initially(
      'people',
      z.enum(['people', 'by_place']).meta({
        description:
          '`by_place`: the `people` of each location who can carry out inspections; `assignee_ids` where a location has none. `people`: `assignee_ids` everywhere.',
      }),
    ),
    assignee_ids: shownAs(
      z.array(Uuid),
      initially([], Assignees.meta({ description: 'The user ids of those who inspect.' })),
    ),
    approver_id: optional(Uuid.nullable()),
    calendar_id: optional(
      Uuid.nullable().meta({
        description:
          'A calendar of holidays, to which `on_holiday` refers. Without one, a schedule whose `places` name a region follows the calendar of that region.',
      }),
    ),
    on_holiday: optional(
      z.enum(['skip', 'before', 'after']).nullable().meta({
        description:
          'What happens to an occurrence on a date of the calendar: it is left out, or held on the last day before or the first day after that is neither a holiday nor a weekend day. Its `occurrence_date` stays the same, and `next_occurrence_at` ignores the calendar. An occurrence that an override moves is not shifted.',
      }),
    ),
    create_ahead_days: initially(
      7,
      z.int().min(0).max(MAX_CREATE_AHEAD_DAYS).meta({
        description: 'How many days before an occurrence starts its inspections are created.',
      }),
    ),
    starts_on: optional(
      LocalDate.nullable().meta({
        description: 'The first date that may be an occurrence, in the time zone of the rule.',
      }),
    ),
    ends_on: optional(LocalDate.nullable().meta({ description: 'The last date that may be an occurrence.' })),
    external_ref: optional(ExternalRef.nullable()),
    recurrence: changedAs(Recurrence.partial(), ScheduleRecurrence),
    after: optional(After.nullable()),
    ...derived({
      description: z.string().meta({
        description: 'The recurrence in words.',
        examples: ['every 2 weeks on Monday at 09:00, Europe/Athens'],
      }),
      warnings: z.array(RecurrenceWarning),
      left_out: LeftOut.nullable(),
    }),
    window: changedAs(
      z.strictObject({ due_after: Duration, miss_after: Duration.nullable() }).partial(),
      initially({ due_after: 'P1D', miss_after: null }, Window),
    ),
    status: later(
      changedAs(
        z.enum(['active', 'paused']).meta({ description: 'Pauses the schedule, or resumes it.' }),
        ScheduleStatus.meta({
          description:
            '`ended` when no occurrence lies ahead. A change that adds one makes the schedule go on.',
        }),
      ),
    ),
    ...derived({
      paused_reason: z.enum(['manual', 'family_archived']).nullable(),
      problem: ScheduleProblem.nullable(),
      problems: z.array(MissingForSchedule).meta({
        description:
          'Everything that is missing. A location is listed soon after it was deleted or became inactive, and a member when the next inspections are created. The creator of the schedule is notified of each once.',
      }),
      next_occurrence_at: Timestamp.nullable().meta({
        description:
          'When the next occurrence starts, overrides included, in the time zone of the recurrence. Null unless the schedule is active. Null with `after`: each location then has its own next date, which the calendar shows. It moves on within minutes after an occurrence has started.',
      }),
      last_generated_at: Timestamp.nullable().meta({
        description: `When it last created inspections. ${UNNOTICED}`,
      }),
      generated_count: Count.meta({
        description: `The number of inspections that it has created. ${UNNOTICED}`,
      }),
      overrides: z
        .array(ScheduleOverride)
        .meta({ description: 'The overrides, in the order of their dates.' }),
      created_by: Uuid,
    }),
  },
  {
    description: 'Creates inspections of a template family again and again, by a recurrence rule.',
    version:
      'Increases with every change of the schedule and its overrides, but not with the inspections that it creates.',
  },
);
export type Schedule = z.output<typeof Schedule>;
export type NewSchedule = z.output<typeof NewSchedule>;
export type ScheduleChanges = Omit<z.output<typeof ScheduleChanges>, 'expected_version'>;

export const ScheduleEventData = Schedule.omit({ paused_reason: true }).meta({
  id: 'ScheduleEventData',
  description:
    'A schedule without `paused_reason`. `status` and `next_occurrence_at` are as if its template family were not archived.',
});

export const CreatedPolicy = z.enum(['keep', 'update', 'archive']);
export type CreatedPolicy = z.output<typeof CreatedPolicy>;

export const CreatedInspections = z
  .strictObject({
    kept: Count.meta({ description: 'How many would stay as they are.' }),
    updated: Count,
    archived: Count,
  })
  .meta({
    id: 'CreatedInspections',
    description:
      'How many of the inspections that the schedule has created and nobody has started a request would change. Only with `dry_run`.',
  });
export type CreatedInspections = z.output<typeof CreatedInspections>;

/** Whether a request only says what it would do. */
export const DryRun = z.boolean().default(false).meta({
  description: 'Changes nothing, and says how many inspections the request would change.',
});

export const ChangedSchedule = Schedule.extend({ created_inspections: CreatedInspections.optional() }).meta({
  id: 'ChangedSchedule',
});
export type ChangedSchedule = z.output<typeof ChangedSchedule>;

/** The filters of the list of schedules. */
const scheduleFilters = {
  status: z
    .array(ScheduleStatus)
    .max(3)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
  template_family_id: Uuid.optional().meta({ description: 'Only schedules of this template family.' }),
  client_account_id: Uuid.optional().meta({ description: 'Only schedules of this client account.' }),
  location_id: Uuid.optional().meta({
    description:
      'Only schedules that inspect at this location. It is one of their locations, `places` lists it or finds it as an active one, or one of their assets is there.',
  }),
  asset_id: Uuid.optional().meta({
    description: 'Only schedules that inspect this asset, also because `places` finds it.',
  }),
  assignee_id: Uuid.optional().meta({
    description: 'Only schedules with this member among the assignees, by `user_id`.',
  }),
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
  has_problems: z
    .boolean()
    .optional()
    .meta({ description: '`true`: only schedules with `problems`. `false`: only those without any.' }),
  ...searchFilter,
};
export const ScheduleQuery = listQuery(scheduleFilters);
export type ScheduleQuery = z.output<typeof ScheduleQuery>;

/** Days of one calendar. */
export const MAX_CALENDAR_DAYS = 366;

export const CalendarQuery = z.strictObject({
  from: LocalDate.meta({
    description: 'The first date, in the time zone of the organization.',
    examples: ['2027-03-01'],
  }),
  to: LocalDate.meta({
    description: `The last date; at most ${MAX_CALENDAR_DAYS} days in all.`,
    examples: ['2027-03-31'],
  }),
  format: z.enum(['json', 'ics']).default('json').meta({
    description: '`ics` replies with `text/calendar` (RFC 5545) instead of JSON.',
  }),
  schedule_id: Uuid.optional().meta({ description: 'Only inspections of this schedule.' }),
  template_family_id: Uuid.optional().meta({ description: 'Only inspections of this template family.' }),
  location_id: Uuid.optional().meta({ description: 'Only inspections at this location.' }),
  asset_id: Uuid.optional().meta({ description: 'Only inspections of this asset.' }),
  assignee_id: Uuid.optional().meta({
    description: 'Only schedules with this member among the assignees, by `user_id`.',
  }),
});
export type CalendarQuery = z.output<typeof CalendarQuery>;

export const CalendarRow = z
  .strictObject({
    kind: z.enum(['inspection', 'projected']).meta({
      description: 'Whether the inspection exists, or follows from the schedule as it is now.',
    }),
    schedule_id: Uuid,
    title: z.string(),
    inspection_id: Uuid.nullable(),
    occurrence_date: LocalDate.nullable(),
    starts_at: Timestamp,
    due_at: Timestamp.nullable(),
    location_id: Uuid.nullable(),
    asset_id: Uuid.nullable().meta({
      description: 'The asset of a schedule that inspects assets; null for another schedule.',
    }),
    assignee_ids: z.array(Uuid),
    status: z.enum([...InspectionStatus.options, 'projected', 'skipped', 'cancelled']).meta({
      description:
        'The status of the inspection; `projected` where there is none yet, and `skipped` or `cancelled` where an override says that there will be none.',
    }),
    is_overdue: z.boolean(),
    is_missed: z.boolean(),
    override: ScheduleOverride.nullable(),
  })
  .meta({ id: 'CalendarRow', description: 'An inspection of a schedule, or one that is still to come.' });
export type CalendarRow = z.output<typeof CalendarRow>;

/** Occurrences of one preview. */
const MAX_PREVIEWED = 100;

export const SchedulePreviewRequest = z
  .strictObject({
    // The whole body of a schedule is one of its preview.
    ...NewSchedule.partial().shape,
    recurrence: Recurrence,
    window: Window.default({ due_after: 'P1D', miss_after: null }),
    starts_on: LocalDate.nullable()
      .default(null)
      .meta({ description: 'The first date that may be an occurrence, in the time zone of the rule.' }),
    ends_on: LocalDate.nullable()
      .default(null)
      .meta({ description: 'The last date that may be an occurrence.' }),
    from: LocalDate.nullable()
      .default(null)
      .meta({ description: 'The first date to show; the start of the rule when left out.' }),
    count: z
      .int()
      .min(1)
      .max(MAX_PREVIEWED)
      .default(10)
      .meta({ description: 'The maximum number of occurrences.' }),
  })
  .meta({
    id: 'SchedulePreviewRequest',
    description:
      'A schedule as it is created, or only its recurrence. What else a schedule has is checked for its form and changes nothing.',
  });
export type SchedulePreviewRequest = z.output<typeof SchedulePreviewRequest>;

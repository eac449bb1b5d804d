import * as z from 'zod';
import { Count, Priority, Severity, Timestamp, Uuid } from './common.ts';
import { allCorrectiveActionsFilters, CorrectiveActionStatus } from './corrective-action.ts';
import { allFindingsFilters, FindingStatus } from './finding.ts';
import { inspectionListFilters, InspectionStatus, InspectionSummary } from './inspections/inspection.ts';

/** Dimensions of one request. */
const MAX_DIMENSIONS = 3;

/** Months of one request. */
export const MAX_MONTHS = 36;

/** Groups of one reply. */
export const MAX_GROUPS = 10_000;

/** What numbers of all kinds can be grouped by. */
const PLACE_DIMENSIONS = [
  'location',
  'branch',
  'region',
  'client_account',
  'template_family',
  'month',
  'quarter',
  'year',
] as const;

const DIMENSIONS = [...PLACE_DIMENSIONS, 'field', 'severity', 'status', 'priority'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

const groupBy = <const Names extends readonly Dimension[]>(names: Names) =>
  z
    .array(z.enum(names))
    .min(1)
    .max(MAX_DIMENSIONS)
    .check(({ value, issues }) => {
      for (const [position, name] of value.entries())
        if (value.indexOf(name) < position)
          issues.push({
            code: 'custom',
            message: 'Value error, the dimension is named twice',
            input: name,
            path: [position],
          });
    })
    .meta({
      description: `Up to ${MAX_DIMENSIONS} dimensions; the parameter can be repeated. \`branch\` is the location directly below \`within\` that contains the place; without \`within\`, the outermost location that contains it. \`location\` is the place itself. \`region\` is the present region of the location.`,
    });

const Month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'Value error, not a month such as 2026-03')
  .meta({ examples: ['2026-03'] });

/** The months, and the form of the reply. */
const periodFilters = {
  from: Month.optional().meta({
    description: `The first month; eleven months before the last one when left out. At most ${MAX_MONTHS} months can be named.`,
  }),
  to: Month.optional().meta({ description: 'The last month; the present one when left out.' }),
  format: z
    .enum(['json', 'csv'])
    .optional()
    .meta({ description: '`csv` for a file with a row for each group; `json` when left out.' }),
};

const INSPECTION_ORDERS = ['pass_rate', 'mean_score', 'completed', 'overdue'] as const;
const FINDING_ORDERS = ['findings', 'open', 'failed', 'failure_rate'] as const;
const ACTION_ORDERS = ['actions', 'overdue'] as const;
export type InspectionOrder = (typeof INSPECTION_ORDERS)[number];
export type FindingOrder = (typeof FINDING_ORDERS)[number];
export type ActionOrder = (typeof ACTION_ORDERS)[number];

/** How groups are sorted, and which of them the reply shows. @param about what the names mean */
const orderFilters = <const Name extends string>(names: readonly Name[], about: string) => ({
  sort: z
    .enum(names.flatMap((name) => [name, `-${name}`] as const))
    .optional()
    .meta({
      description: `The order of the groups: by this number, the lowest first, or with \`-\` the highest first. ${about} Groups without the number come last. By the dimensions when left out.`,
    }),
  min_count: z.int().min(1).optional().meta({
    description: 'With `sort`, only groups in which at least so many are behind the number that sorts them.',
  }),
  limit: z.int().min(1).max(MAX_GROUPS).optional().meta({
    description: 'The maximum number of groups; all when left out. The totals count all.',
  }),
});

const ORDER = Object.keys(orderFilters([], ''));

/** What needs to be asked with what. */
interface Asked {
  group_by?: readonly string[] | undefined;
  sort?: string | undefined;
  min_count?: number | undefined;
  limit?: number | undefined;
}

/** The names of what does not go without something else that a query lacks, with that. */
const lacking = ({ group_by, sort, min_count, limit }: Asked): [name: string, needed: string][] => [
  ...(sort !== undefined && !group_by ? [['sort', 'group_by'] as [string, string]] : []),
  ...(limit !== undefined && !group_by ? [['limit', 'group_by'] as [string, string]] : []),
  ...(min_count !== undefined && sort === undefined ? [['min_count', 'sort'] as [string, string]] : []),
];

const checkOrder = ({ value, issues }: { value: Asked; issues: z.core.$ZodRawIssue[] }): void => {
  for (const [name, needed] of lacking(value))
    issues.push({
      code: 'custom',
      message: `Value error, ${name} needs ${needed}`,
      input: undefined,
      path: [name],
    });
};

/** The filters by which numbers of all kinds are kept. */
const PLACE_FILTERS = [
  'client_account_id',
  'location_id',
  'within',
  'region_id',
  'template_family_id',
] as const;

/** What a summary is asked with beside filters. */
const PERIOD = ['group_by', ...Object.keys(periodFilters), ...ORDER];

/** What of each summary asks for nothing but the numbers that are kept. */
const NEEDS_NO_ROWS = {
  inspections: new Set<string>(PLACE_FILTERS),
  findings: new Set<string>([...PLACE_FILTERS, ...PERIOD, 'field_id', 'severity', 'status']),
  corrective_actions: new Set<string>([...PLACE_FILTERS, ...PERIOD, 'status', 'priority']),
};

/** Whether the numbers that are kept tell what a query asks for; else the rows of the list are counted. */
export const isKept = (what: 'findings' | 'corrective_actions', query: object): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || NEEDS_NO_ROWS[what].has(name));

/** What the summary of inspections takes beside the filters of lists. */
const ownFilters = {
  group_by: groupBy(PLACE_DIMENSIONS).optional(),
  ...periodFilters,
  ...orderFilters(
    INSPECTION_ORDERS,
    '`pass_rate` is the share of `passed` in `passed` and `failed`, `mean_score` the mean score.',
  ),
};

export const InspectionSummaryQuery = z
  .strictObject({ ...inspectionListFilters, ...ownFilters })
  .check(({ value, issues }) => {
    const refuse = (name: string, message: string) =>
      issues.push({ code: 'custom', message: `Value error, ${message}`, input: undefined, path: [name] });
    for (const [name, given] of Object.entries(value)) {
      if (given === undefined || NEEDS_NO_ROWS.inspections.has(name)) continue;
      if (name in ownFilters ? !value.group_by : value.group_by !== undefined)
        refuse(name, name in ownFilters ? `${name} needs group_by` : `${name} does not go with group_by`);
    }
    if (value.min_count !== undefined && value.group_by && value.sort === undefined)
      refuse('min_count', 'min_count needs sort');
  });
export type InspectionSummaryQuery = z.output<typeof InspectionSummaryQuery>;

const FindingDimensions = [...PLACE_DIMENSIONS, 'field', 'severity', 'status'] as const;
const ActionDimensions = [...PLACE_DIMENSIONS, 'status', 'priority'] as const;

export const FindingSummaryQuery = z
  .strictObject({
    group_by: groupBy(FindingDimensions).optional(),
    ...allFindingsFilters,
    ...periodFilters,
    ...orderFilters(
      FINDING_ORDERS,
      '`failed` is how often a question has failed, and `failure_rate` its share in how often it was answered: both are known where `answers` is not null.',
    ),
  })
  .check(checkOrder)
  .check(({ value: { group_by, template_family_id }, issues }) => {
    if (group_by?.includes('field') && !template_family_id)
      issues.push({
        code: 'custom',
        message: 'Value error, the dimension field needs a template_family_id',
        input: group_by,
        path: ['group_by'],
      });
  });
export type FindingSummaryQuery = z.output<typeof FindingSummaryQuery>;

export const ActionSummaryQuery = z
  .strictObject({
    group_by: groupBy(ActionDimensions).optional(),
    ...allCorrectiveActionsFilters,
    ...periodFilters,
    ...orderFilters(ACTION_ORDERS, ''),
  })
  .check(checkOrder);
export type ActionSummaryQuery = z.output<typeof ActionSummaryQuery>;

const GroupedBy = z
  .strictObject({
    id: Uuid,
    name: z
      .string()
      .nullable()
      .meta({ description: 'Its present name; null when it does not exist any more.' }),
  })
  .meta({ id: 'GroupedBy', description: 'What a group belongs to.' });

export type GroupedBy = z.output<typeof GroupedBy>;

const named = GroupedBy.nullable().optional();

const Group = z
  .strictObject({
    location: named,
    branch: named,
    region: named,
    client_account: named,
    template_family: named,
    field: named,
    month: z
      .string()
      .optional()
      .meta({ examples: ['2026-03'] }),
    quarter: z
      .string()
      .optional()
      .meta({ examples: ['2026-Q1'] }),
    year: z
      .string()
      .optional()
      .meta({ examples: ['2026'] }),
    severity: Severity.optional(),
    status: z.union([FindingStatus, CorrectiveActionStatus]).optional(),
    priority: Priority.optional(),
  })
  .meta({
    id: 'NumbersGroup',
    description: 'The dimensions of `group_by` with their values; null for what belongs to none.',
  });
export type Group = z.output<typeof Group>;

const counts = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>;

/** What is said of inspections. */
const InspectionNumbers = z
  .strictObject({
    total: Count,
    ...counts(InspectionStatus.options),
    overdue: Count.meta({
      description:
        'Inspections that are scheduled or in_progress and overdue. They count as overdue from the next full hour after their due time.',
    }),
    passed: Count.meta({ description: 'Completed inspections whose score has the result `pass`.' }),
    failed: Count.meta({ description: 'Completed inspections whose score has the result `fail`.' }),
    completed_late: Count.meta({ description: 'Completed inspections that were handed in after `due_at`.' }),
    score: z
      .strictObject({
        count: Count,
        sum: z.number(),
        mean: z.number().nullable().meta({ description: 'The mean score; null without any.' }),
      })
      .meta({ description: 'The scores of completed inspections, in percent.' }),
    duration: z
      .strictObject({
        count: Count,
        sum_seconds: Count,
        mean_seconds: z
          .number()
          .nullable()
          .meta({ description: 'The mean duration, in seconds; null without any inspection.' }),
      })
      .meta({
        description: 'How long completed inspections took, from their start until they were handed in.',
      }),
  })
  .meta({ id: 'InspectionNumbers' });
export type InspectionNumbers = z.output<typeof InspectionNumbers>;

const FindingNumbers = z
  .strictObject({
    findings: Count,
    ...counts(FindingStatus.options),
    ...counts(Severity.options),
    repeats: Count.meta({
      description: 'Findings that repeated an earlier one when they were created: see `repeat` of a finding.',
    }),
    answers: z.strictObject({ answered: Count, failed: Count, not_applicable: Count }).nullable().meta({
      description:
        'The answers of completed inspections, in the month in which these were completed. Only when grouped by `field`, not by severity or status, and filtered by nothing but place, template family and question; else null.',
    }),
  })
  .meta({ id: 'FindingNumbers' });
export type FindingNumbers = z.output<typeof FindingNumbers>;

const ActionNumbers = z
  .strictObject({
    actions: Count,
    ...counts(CorrectiveActionStatus.options),
    overdue: Count.meta({
      description:
        'Actions that are open or in_progress and overdue. They count as overdue from the next full hour after their due time.',
    }),
    completed_late: Count.meta({ description: 'Verified actions that were completed after `due_at`.' }),
    duration: z
      .strictObject({ count: Count, sum_seconds: Count, mean_seconds: z.number().nullable() })
      .meta({ description: 'How long verified actions took, from their creation to their completion.' }),
  })
  .meta({ id: 'ActionNumbers' });
export type ActionNumbers = z.output<typeof ActionNumbers>;

const AsOf = Timestamp.nullable().meta({
  description:
    'All changes before this time are counted. Null while an organization that is older than its numbers has not been counted yet.',
});

/** The reply of numbers. */
const summaryOf = <Numbers extends z.ZodObject>(numbers: Numbers, id: string, description: string) =>
  z
    .strictObject({
      as_of: AsOf,
      from: z.string().meta({ description: 'The first month.' }),
      to: z.string().meta({ description: 'The last month.' }),
      totals: numbers,
      groups: z.array(z.strictObject({ by: Group, numbers })),
    })
    .meta({ id, description });

export const FindingSummary = summaryOf(FindingNumbers, 'FindingSummary', 'Numbers of findings.');
export type FindingSummary = z.output<typeof FindingSummary>;

export const ActionSummary = summaryOf(
  ActionNumbers,
  'CorrectiveActionSummary',
  'Numbers of corrective actions.',
);
export type ActionSummary = z.output<typeof ActionSummary>;

const InspectionGroups = summaryOf(InspectionNumbers, 'InspectionGroups', 'Numbers of inspections.');
export type InspectionGroups = z.output<typeof InspectionGroups>;

export const GroupedInspectionSummary = InspectionSummary.extend(InspectionGroups.partial().shape).meta({
  id: 'InspectionSummary',
  description:
    'The number of inspections in each status. With `group_by` also their numbers in groups; the counts are then those of the months.',
});

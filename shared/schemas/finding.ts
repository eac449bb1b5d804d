import * as z from 'zod';
import { ClosedNames } from './closed-names.ts';
import {
  Severity,
  Count,
  ExpectedVersion,
  ExternalRef,
  Instant,
  listQuery,
  SearchText,
  Text,
  Timestamp,
  Title,
  Uuid,
} from './common.ts';
import { InstancePath, Media } from './inspections/answer.ts';
import { labelFields, labelFilters } from './labels.ts';
import { derived, initially, later, once, optional, resource, shownAs } from './resource.ts';
import { anyOf, surroundingFields, surroundingFilters } from './surroundings.ts';

export const FindingOrigin = z.enum(['auto', 'manual', 'issue']);
export const FindingStatus = z.enum(['open', 'resolved']);

const content = { description: Text, recommendation: Text, root_cause: Text, media: Media };

export const FindingContent = z
  .strictObject({
    description: content.description.default(''),
    recommendation: content.recommendation.default(''),
    root_cause: content.root_cause.default(''),
    media: content.media.default([]),
  })
  .meta({ id: 'FindingContent', description: 'The texts and media that describe a finding.' });

export const FindingRepeat = z
  .strictObject({
    count: z
      .int()
      .min(1)
      .meta({ description: 'How many earlier inspections have found it within the window.' }),
    previous_finding_id: Uuid,
    first_at: Timestamp.meta({ description: 'When the first of them has found it.' }),
  })
  .meta({
    id: 'FindingRepeat',
    description:
      'What a finding repeats: findings of the same question at the same place (the location of the inspection, and of the unit in it) that other inspections of the template family have found before it, within the `repeat_window` that the family had when the inspection was created. It is computed from the findings that exist.',
  });
export type FindingRepeat = z.output<typeof FindingRepeat>;

export const { Finding, NewFinding, FindingChanges } = resource(
  'Finding',
  {
    ...derived({
      inspection_id: Uuid,
      number: z
        .int()
        .min(1)
        .meta({ description: 'A sequential number within the organization; gaps are possible.' }),
    }),
    label: Title,
    section_id: once(optional(Uuid.nullable())),
    field_id: once(optional(Uuid.nullable(), 'A field of `section_id`; when that is null, of any section.')),
    instance_path: once(
      initially(
        '',
        InstancePath,
        'The instance that holds the field. When left out, the first instance, if the field is in one repeat section.',
      ),
    ),
    ...derived({
      location_id: Uuid.nullable().meta({
        description:
          'The location that the `location_field_id` of the repeat section gave for the instance when the finding was created. Null without one: it is then that of the inspection.',
      }),
      asset_id: Uuid.nullable().meta({
        description: 'The asset of the inspection; null for none. It follows soon when that changes.',
      }),
      origin: FindingOrigin.meta({
        description: '`auto` when a failed answer to a shown question created it.',
      }),
    }),
    severity: initially('minor', Severity),
    content: shownAs(FindingContent, once(FindingContent.prefault({}))),
    status: later(FindingStatus),
    external_ref: optional(ExternalRef.nullable()),
    ...labelFields,
    ...derived({
      trigger_cleared: z.boolean().meta({
        description:
          'Whether the answer that created the finding no longer fails, was deleted, or counts for nothing because conditions hide its question.',
      }),
      resolved_at: Timestamp.nullable().meta({ description: 'When it was resolved; null while it is open.' }),
      resolved_by: Uuid.nullable(),
      resolved_by_inspection_id: Uuid.nullable().meta({
        description: 'The re-inspection in which its field passed; null when a person resolved it.',
      }),
      names_then: ClosedNames.nullable(),
      corrective_actions_count: Count,
      repeat: FindingRepeat.nullable().meta({
        description:
          'What it repeats; null for a finding that repeats none, and where the family has no `repeat_window`.',
      }),
      created_by: Uuid,
    }),
  },
  {
    description: 'Something that is wrong, found in an inspection.',
    created: {
      before: { severity: 'section_id' },
      check: ({ value: { field_id, instance_path }, issues }) => {
        if (instance_path !== '' && field_id === null)
          issues.push({
            code: 'custom',
            message: 'Value error, instance_path needs a field_id',
            input: instance_path,
            path: ['instance_path'],
          });
      },
    },
  },
);
export type Finding = z.output<typeof Finding>;

export const FindingEventData = Finding.omit({ repeat: true }).meta({
  id: 'FindingEventData',
  description: 'A finding, without what it repeats.',
});
export type FindingEventData = z.output<typeof FindingEventData>;

export type NewFinding = z.output<typeof NewFinding>;
export type FindingChanges = Omit<z.output<typeof FindingChanges>, 'expected_version'>;

export const FindingContentChanges = z
  .strictObject({ ...content, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'FindingContentChanges' });
export type FindingContentChanges = Omit<z.output<typeof FindingContentChanges>, 'expected_version'>;

const ownFilters = {
  status: anyOf(FindingStatus, 'Any of these statuses.'),
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
  ...labelFilters,
};

export const findingQuery = listQuery({
  ...ownFilters,
  severity: z
    .array(Severity)
    .max(4)
    .optional()
    .meta({ description: 'Any of these severities; the parameter can be repeated.' }),
  origin: FindingOrigin.optional(),
  repeat: z.boolean().optional().meta({ description: 'Whether it repeats an earlier finding.' }),
});
export type FindingQuery = z.output<typeof findingQuery>;

export const ListedFinding = Finding.extend(surroundingFields).meta({
  id: 'ListedFinding',
  description: 'A finding, with what it belongs to, in a list across inspections.',
});
export type ListedFinding = z.output<typeof ListedFinding>;

/** The filters of the list across inspections, and of its summary. */
export const allFindingsFilters = {
  ...surroundingFilters,
  ...ownFilters,
  severity: anyOf(Severity, 'Any of these severities.'),
  origin: FindingOrigin.optional(),
  closed_after: Instant.optional().meta({ description: 'Resolved at or after this time.' }),
  closed_before: Instant.optional().meta({ description: 'Resolved before this time.' }),
  repeat: z.boolean().optional().meta({ description: 'Whether it repeats an earlier finding.' }),
  q: SearchText.optional().meta({ description: 'The beginning of the number or of the label.' }),
};
export const allFindingsQuery = listQuery(allFindingsFilters);
export type AllFindingsQuery = z.output<typeof allFindingsQuery>;

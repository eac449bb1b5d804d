import * as z from 'zod';
import { ExpectedVersion, listQuery, resourceFields, Uuid } from './common.ts';
import { InstancePath, Media } from './inspections/answer.ts';
import { Severity } from './templates/content.ts';

const Label = z.string().trim().min(1).max(500);
const Text = z.string().max(10_000);
const Origin = z.enum(['auto', 'manual', 'issue']);
const FindingStatus = z.enum(['open', 'resolved']);

const content = { description: Text, recommendation: Text, root_cause: Text, media: Media };

const FindingContent = z
  .strictObject({
    description: content.description.default(''),
    recommendation: content.recommendation.default(''),
    root_cause: content.root_cause.default(''),
    media: content.media.default([]),
  })
  .meta({ id: 'FindingContent', description: 'What is to be said of a finding.' });

export const Finding = z
  .strictObject({
    ...resourceFields,
    inspection_id: Uuid,
    number: z.int().min(1).meta({ description: 'Counted up within the organization; gaps are possible.' }),
    label: Label,
    section_id: Uuid.nullable(),
    field_id: Uuid.nullable(),
    instance_path: InstancePath,
    origin: Origin.meta({ description: '`auto` where a failed answer led to it.' }),
    severity: Severity,
    content: FindingContent,
    status: FindingStatus,
    trigger_cleared: z.boolean().meta({ description: 'Whether the answer that led to it no longer fails.' }),
    corrective_actions_count: z.int().min(0),
    created_by: Uuid,
    version: z.int().min(1),
  })
  .meta({ id: 'Finding', description: 'Something an inspection found wrong.' });
export type Finding = z.output<typeof Finding>;

export const NewFinding = z
  .strictObject({
    label: Label,
    severity: Severity.default('minor'),
    section_id: Uuid.nullable().default(null),
    field_id: Uuid.nullable().default(null).meta({ description: 'A field of that section, or of any.' }),
    instance_path: InstancePath.default('').meta({
      description: 'Of the field. Where it stands in one repeat section, the first instance when left out.',
    }),
    content: FindingContent.prefault({}),
  })
  .check(({ value: { field_id, instance_path }, issues }) => {
    if (instance_path !== '' && field_id === null)
      issues.push({
        code: 'custom',
        message: 'Value error, an instance_path is that of a field',
        input: instance_path,
        path: ['instance_path'],
      });
  })
  .meta({ id: 'NewFinding' });
export type NewFinding = z.output<typeof NewFinding>;

export const FindingChanges = z
  .strictObject({
    label: Label,
    severity: Severity,
    status: FindingStatus,
    expected_version: ExpectedVersion,
  })
  .partial()
  .meta({ id: 'FindingChanges' });
export type FindingChanges = Omit<z.output<typeof FindingChanges>, 'expected_version'>;

export const FindingContentChanges = z
  .strictObject({ ...content, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'FindingContentChanges' });
export type FindingContentChanges = Omit<z.output<typeof FindingContentChanges>, 'expected_version'>;

export const findingQuery = listQuery({
  status: FindingStatus.optional(),
  severity: z.array(Severity).max(4).optional().meta({ description: 'Repeatable: any of these.' }),
  origin: Origin.optional(),
});
export type FindingQuery = z.output<typeof findingQuery>;

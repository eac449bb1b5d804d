import * as z from 'zod';
import { Uuid } from '../common.ts';
import { FieldType } from './content.ts';

const Incompatibility = z
  .strictObject({
    attribute: z.string(),
    from: z
      .unknown()
      .meta({ description: 'As published; of `options` the values that are gone, at most ten.' }),
    to: z.unknown().meta({ description: 'As drafted; null of `options`.' }),
    reason: z.string(),
  })
  .meta({
    id: 'Incompatibility',
    description: 'A difference by which answers given before may not be answers any more.',
  });
export type Incompatibility = z.output<typeof Incompatibility>;

const difference = {
  changes: z.array(z.string()).meta({ description: 'The attributes that differ.' }),
  incompatible: z.array(Incompatibility),
};

const field = {
  field_id: Uuid,
  section_id: Uuid,
  label: z.string(),
  type: FieldType,
};
const section = { section_id: Uuid, title: z.string() };
const startField = { key: z.string(), label: z.string(), type: FieldType };

const of = <Part extends z.ZodType, Changed extends z.ZodType>(part: Part, changed: Changed) =>
  z.strictObject({ added: z.array(part), removed: z.array(part), changed: z.array(changed) });

const Fields = of(
  z.strictObject(field).meta({ id: 'ImpactField' }),
  z.strictObject({ ...field, ...difference }).meta({ id: 'ChangedField' }),
);
const Sections = of(
  z.strictObject(section).meta({ id: 'ImpactSection' }),
  z.strictObject({ ...section, ...difference }).meta({ id: 'ChangedSection' }),
);
const StartFields = of(
  z.strictObject(startField).meta({ id: 'ImpactStartField' }),
  z.strictObject({ ...startField, ...difference }).meta({ id: 'ChangedStartField' }),
);

const Count = z.int().min(0);

const RunningInspections = z
  .strictObject({
    total: Count,
    by_version: z.array(
      z
        .strictObject({ template_id: Uuid, version_number: z.int().min(1), count: z.int().min(1) })
        .meta({ id: 'RunningInspectionsOfVersion' }),
    ),
  })
  .meta({
    id: 'RunningInspections',
    description: 'Inspections of the family, by the version that they pin, the oldest first.',
  });
export type RunningInspections = z.output<typeof RunningInspections>;

const ContentProblem = z
  .strictObject({
    loc: z.array(z.string()),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().optional(),
    ctx: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ContentProblem', description: 'As an entry of the `422` with which a publish is refused.' });

export const PublishImpact = z
  .strictObject({
    template_id: Uuid,
    current_version_id: Uuid.nullable().meta({
      description: 'What the draft is compared with; null where nothing is published, and all of it is new.',
    }),
    fields: Fields,
    sections: Sections,
    start_fields: StartFields,
    problems: z.array(ContentProblem),
    running_inspections: RunningInspections,
  })
  .meta({ id: 'PublishImpact', description: 'What publishing a draft would change.' });
export type PublishImpact = z.output<typeof PublishImpact>;

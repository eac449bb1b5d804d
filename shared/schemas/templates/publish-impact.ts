import * as z from 'zod';
import { Count, Uuid, Problem } from '../common.ts';
import { FieldType } from './content.ts';

const Incompatibility = z
  .strictObject({
    attribute: z.string(),
    from: z.unknown().meta({
      description: 'The published value; for `options`, at most ten of the values that were removed.',
    }),
    to: z.unknown().meta({ description: 'The value in the draft; null for `options`.' }),
    reason: z.string(),
  })
  .meta({
    id: 'Incompatibility',
    description: 'A difference that can make existing answers invalid.',
  });
export type Incompatibility = z.output<typeof Incompatibility>;

const difference = {
  changes: z.array(z.string()).meta({ description: 'The names of the attributes that differ.' }),
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

const listsOf = <Part extends z.ZodType, Changed extends z.ZodType>(part: Part, changed: Changed) =>
  z.strictObject({ added: z.array(part), removed: z.array(part), changed: z.array(changed) });

const Fields = listsOf(
  z.strictObject(field).meta({ id: 'ImpactField' }),
  z.strictObject({ ...field, ...difference }).meta({ id: 'ChangedField' }),
);
const Sections = listsOf(
  z.strictObject(section).meta({ id: 'ImpactSection' }),
  z.strictObject({ ...section, ...difference }).meta({ id: 'ChangedSection' }),
);
const StartFields = listsOf(
  z.strictObject(startField).meta({ id: 'ImpactStartField' }),
  z.strictObject({ ...startField, ...difference }).meta({ id: 'ChangedStartField' }),
);

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
    description: 'How many inspections of the family use each version, the oldest version first.',
  });
export type RunningInspections = z.output<typeof RunningInspections>;

const ContentProblem = Problem.meta({
  id: 'ContentProblem',
  description: 'A problem that prevents publishing, as in the `detail` of its `422`.',
});

export const ContentWarning = z.strictObject({ kind: z.enum(['section_without_score']), ...section }).meta({
  id: 'ContentWarning',
  description:
    'What is perhaps a mistake, although it can be published. `section_without_score`: the section has a passing score or a weight, but neither it nor a section in it has a field that is scored, so it never passes or fails.',
});
export type ContentWarning = z.output<typeof ContentWarning>;

export const PublishImpact = z
  .strictObject({
    template_id: Uuid,
    current_version_id: Uuid.nullable().meta({
      description:
        'The version that the draft is compared with. Null when nothing is published, so that everything is new.',
    }),
    fields: Fields,
    sections: Sections,
    start_fields: StartFields,
    problems: z.array(ContentProblem),
    warnings: z.array(ContentWarning).meta({ description: 'Empty while there are problems.' }),
    running_inspections: RunningInspections,
  })
  .meta({ id: 'PublishImpact', description: 'The changes that publishing a draft would make.' });
export type PublishImpact = z.output<typeof PublishImpact>;

import * as z from 'zod';
import { Instant, Uuid } from './common.ts';

/** What something belongs to, by its id and its present name. */
const Named = z
  .strictObject({ id: Uuid, name: z.string().meta({ description: 'Its present name.' }) })
  .meta({ id: 'Named', description: 'What something belongs to.' });
export type Named = z.output<typeof Named>;

export const NumberedInspection = z
  .strictObject({
    id: Uuid,
    number: z.int().min(1).meta({ description: 'The number of the inspection in its organization.' }),
    name: z.string(),
  })
  .meta({ id: 'NumberedInspection', description: 'The inspection to which something belongs.' });

/** What each row of a list across inspections says of its inspection. */
export const surroundingFields = {
  client_account: Named.nullable().meta({ description: 'The client account of the inspection.' }),
  location: Named.nullable().meta({
    description: 'Where it was found: the location of the instance, or else that of the inspection.',
  }),
  template_family: Named.nullable().meta({ description: 'The template family of the inspection.' }),
  asset: Named.nullable().meta({ description: 'The asset of the inspection.' }),
  inspection: NumberedInspection,
};

const MAX_VALUES = 50;

/** Any of several values. */
export const anyOf = <Value extends z.ZodType>(value: Value, description: string) =>
  z
    .array(value)
    .max(MAX_VALUES)
    .optional()
    .meta({ description: `${description} The parameter can be repeated.` });

/** The filters by what stands above a place. */
export const aboveFilters = {
  within: Uuid.optional().meta({ description: 'Only at this location and at all below it.' }),
  region_id: Uuid.optional().meta({ description: 'Only at locations of this region and of those below it.' }),
};

/** The filters by `is_overdue`, also under its former name. */
export const overdueFilters = {
  is_overdue: z
    .boolean()
    .optional()
    .meta({ description: '`true`: only what is past its due time and not done. `false`: only what is not.' }),
  overdue: z
    .boolean()
    .optional()
    .meta({ deprecated: true, description: 'The former name of the filter `is_overdue`.' }),
};

/** The filters by place and time that lists across inspections have in common. */
export const surroundingFilters = {
  client_account_id: anyOf(Uuid, 'Only of inspections of one of these client accounts.'),
  location_id: anyOf(Uuid, 'Only at one of these locations.'),
  ...aboveFilters,
  template_family_id: anyOf(Uuid, 'Only of inspections of one of these template families.'),
  asset_id: anyOf(Uuid, 'Only of inspections of one of these assets.'),
  field_id: anyOf(Uuid, 'Only of one of these questions.'),
  created_after: Instant.optional().meta({ description: 'Created at or after this time.' }),
  created_before: Instant.optional().meta({ description: 'Created before this time.' }),
};

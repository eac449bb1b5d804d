import * as z from 'zod';
import { ExternalRef, listQuery, Name, NamedPlace, NullableWord, searchFilter, Uuid } from './common.ts';
import { People } from './location.ts';
import { derived, initially, optional, resource, shownAs } from './resource.ts';

export const { Region, NewRegion, RegionChanges } = resource(
  'Region',
  {
    name: Name.meta({ description: 'What people call the region.', examples: ['District North'] }),
    kind: shownAs(
      z.string().nullable(),
      optional(
        NullableWord.meta({
          description: 'What kind of region it is, in the organization’s own words.',
          examples: ['district'],
        }),
      ),
    ),
    parent_id: optional(
      Uuid.nullable().meta({
        description:
          'The region that contains this one; null at the top. Regions are at most 10 levels deep.',
      }),
    ),
    calendar_id: optional(
      Uuid.nullable().meta({
        description:
          'The calendar of holidays of the region, and of those below it that have none. Schedules whose `places` name such a region, and no `calendar_id`, follow it.',
      }),
    ),
    people: initially(
      [],
      People.meta({
        description:
          'Members who look after the region. A level `region:<role>` of an escalation tells those who have the role.',
      }),
    ),
    external_ref: optional(
      ExternalRef.nullable().meta({
        description: 'The client’s own id of the region, unique among regions.',
      }),
    ),
    ...derived({
      path: z
        .array(NamedPlace)
        .meta({ description: 'The regions above this one, from the outermost one on.' }),
    }),
  },
  {
    description:
      'A part of the organization’s area, such as a district or a franchise area, with locations of any client account.',
  },
);
export type Region = z.output<typeof Region>;
export type NewRegion = z.output<typeof NewRegion>;
export type RegionChanges = Omit<z.output<typeof RegionChanges>, 'expected_version'>;

export const RegionEventData = Region.omit({ path: true }).meta({
  id: 'RegionEventData',
  description: 'A region without `path`.',
});

export const regionQuery = listQuery({
  ...searchFilter,
  parent_id: Uuid.optional().meta({ description: 'Only regions directly in this one.' }),
  external_ref: ExternalRef.optional().meta({ description: 'Only the region that has this reference.' }),
});
export type RegionQuery = z.output<typeof regionQuery>;

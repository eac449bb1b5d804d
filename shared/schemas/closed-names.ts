import * as z from 'zod';
import { ExternalRef, Uuid } from './common.ts';
import { Location } from './location.ts';

const names = {
  name: z.string(),
  current_name: z.string().nullable().optional().meta({
    description: 'As it is at the time of the request; null when it was deleted. Only in replies to GET.',
  }),
};

const ClientThen = z
  .strictObject({ id: Uuid, ...names, external_ref: ExternalRef.nullable() })
  .meta({ id: 'ClientThen', description: 'A client account as it was named at a time.' });

const LocationThen = z
  .strictObject({
    ...ClientThen.shape,
    path: z
      .array(z.string())
      .meta({ description: 'The names of the locations above it, the farthest first.' }),
    ...Location.pick({ address: true, lat: true, lng: true, timezone: true }).shape,
  })
  .meta({ id: 'LocationThen', description: 'A location as it was named at a time.' });

const PersonThen = z
  .strictObject({ user_id: Uuid, ...names })
  .meta({ id: 'PersonThen', description: 'A member as they were named at a time.' });

export const ClosedNames = z
  .strictObject({
    client: ClientThen.nullable(),
    location: LocationThen.nullable(),
    people: z.array(PersonThen).meta({ description: 'Those with a part in it, and who has closed it.' }),
  })
  .meta({
    id: 'ClosedNames',
    description:
      'The client account, the location and the people that something names, as they were named when it was closed. Null while it is open.',
  });
export type ClosedNames = z.output<typeof ClosedNames>;

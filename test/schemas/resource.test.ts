import * as z from 'zod';
import { Timestamp, Uuid } from '../../shared/schemas/common.ts';
import {
  changedAs,
  derived,
  initially,
  initialValues,
  later,
  omittable,
  once,
  optional,
  resource,
  shownAs,
  unseen,
} from '../../shared/schemas/resource.ts';

const Text = z.string();

const { Boat, NewBoat, BoatChanges } = resource(
  'Boat',
  {
    name: Text,
    notes: shownAs(Text.nullable(), optional(Text.trim().nullable())),
    ...derived({ seen_at: Timestamp.nullable() }),
    size: changedAs(z.strictObject({ length: z.number() }).partial(), z.strictObject({ length: z.number() })),
    pin: unseen(Text),
    status: later(z.enum(['afloat', 'sunk'])),
    sails: initially(2, z.number()),
    harbour_id: once(optional(Uuid.nullable())),
    colour: omittable(Text.meta({ description: 'Of the hull.' }), 'White when left out.'),
  },
  { description: 'A boat.', created: { before: { harbour_id: 'size' } } },
);

const { Oar, NewOar, OarChanges } = resource(
  'Oar',
  { length: z.number(), reach: z.number() },
  {
    version: null,
    created: {
      check: ({ value: { length, reach }, issues }) => {
        if (reach > length) issues.push({ code: 'custom', input: reach, path: ['reach'] });
      },
    },
    changed: { before: { reach: 'length' } },
  },
);

const namesOf = ({ shape }: z.ZodObject): string[] => Object.keys(shape);

describe('resource', () => {
  it('gives each schema the fields of its place, in the order of the table', () => {
    const own = ['id', 'created_at', 'updated_at'];
    const shown = ['name', 'notes', 'seen_at', 'size', 'status', 'sails', 'harbour_id', 'colour'];
    expect(namesOf(Boat)).toEqual([...own, ...shown, 'version']);
    expect(namesOf(NewBoat)).toEqual(['name', 'notes', 'harbour_id', 'size', 'pin', 'sails', 'colour']);
    expect(namesOf(BoatChanges)).toEqual([
      'name',
      'notes',
      'size',
      'pin',
      'status',
      'sails',
      'colour',
      'expected_version',
    ]);
  });

  it('says with which values the resource begins', () => {
    const given = { name: 'Ada', size: { length: 9 }, pin: '1' };
    const begun = { notes: null, sails: 2, harbour_id: null };
    expect(NewBoat.parse(given)).toEqual({ ...given, ...begun });
    expect(initialValues(NewBoat)).toEqual(begun);
  });

  it('takes a part of the changes, and refuses what does not change', () => {
    expect(BoatChanges.parse({ size: {}, expected_version: 1 })).toEqual({ size: {}, expected_version: 1 });
    expect(BoatChanges.safeParse({ harbour_id: null }).success).toBe(false);
    expect(z.globalRegistry.get(Boat)).toEqual({ id: 'Boat', description: 'A boat.' });
  });

  it('describes a field in the POST as it says there', () => {
    const descriptions = [Boat, NewBoat].map(({ shape }) => shape.colour.meta()?.description);
    expect(descriptions).toEqual(['Of the hull.', 'White when left out.']);
  });

  it('has no version, a check and an order of its own where it says so', () => {
    expect(namesOf(Oar)).toEqual(['id', 'created_at', 'updated_at', 'length', 'reach']);
    expect(namesOf(OarChanges)).toEqual(['reach', 'length']);
    expect(NewOar.safeParse({ length: 3, reach: 2 }).success).toBe(true);
    expect(NewOar.safeParse({ length: 3, reach: 4 }).error?.issues[0]?.path).toEqual(['reach']);
  });

  it('has the types of its fields', () => {
    const changes: z.output<typeof BoatChanges> = { sails: 1 };
    expect(changes).toEqual({ sails: 1 });
    // @ts-expect-error -- it cannot be left out
    const created: z.input<typeof NewBoat> = { name: 'Ada', pin: '1' };
    expect(NewBoat.safeParse(created).success).toBe(false);
    // @ts-expect-error -- null is no text
    optional(Text);
    // @ts-expect-error -- no number
    initially('two', z.number());
  });
});

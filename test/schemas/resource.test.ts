import * as z from 'zod';
import { Timestamp, Uuid } from '../../shared/schemas/common.ts';
import {
  changedAs,
  derived,
  initially,
  initialValues,
  later,
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
  },
  { description: 'A boat.', created: { before: { harbour_id: 'size' } } },
);

const namesOf = ({ shape }: z.ZodObject): string[] => Object.keys(shape);

describe('resource', () => {
  it('gives each schema the fields of its place, in the order of the table', () => {
    const own = ['id', 'created_at', 'updated_at'];
    const shown = ['name', 'notes', 'seen_at', 'size', 'status', 'sails', 'harbour_id'];
    expect(namesOf(Boat)).toEqual([...own, ...shown, 'version']);
    expect(namesOf(NewBoat)).toEqual(['name', 'notes', 'harbour_id', 'size', 'pin', 'sails']);
    expect(namesOf(BoatChanges)).toEqual([
      'name',
      'notes',
      'size',
      'pin',
      'status',
      'sails',
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

import { indexContent, isRepeat, type RepeatSection } from '../../../shared/domain/content/content-index.ts';
import {
  instancesOf,
  pathsBelow,
  pathsWithin,
  sharedPath,
} from '../../../shared/domain/content/instances.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';

const index = indexContent(
  Content.parse({
    sections: [
      section(1, [field(11)], {
        repeat: {},
        sections: [section(2, [field(21)], { repeat: { min: 1 } }), section(3, [field(31)])],
      }),
      section(4, [field(41)], { repeat: { min: 2 } }),
    ],
  }),
);
const [ROOM, DOOR, PLAIN, CAR] = [1, 2, 3, 4].map((n) => index.sections.get(uuid(n))!.section);
const repeats = (...sections: (typeof ROOM)[]) =>
  sections.filter((each): each is RepeatSection => isRepeat(each!));
const room = (i: number) => `${uuid(1)}[${i}]`;
const door = (i: number, j: number) => `${room(i)}/${uuid(2)}[${j}]`;
const instances = instancesOf([door(3, 5), room(12), door(2, 0), '']);

test('an instance exists where something is answered in it, or inside it', () => {
  const [rooms, doors] = repeats(ROOM, DOOR);
  expect(instances.of(rooms!, '')).toEqual([2, 3, 12]);
  expect([2, 3, 12, 7].map((i) => instances.of(doors!, room(i)))).toEqual([[0], [5], [0], [0]]);
});

test('a section has the lowest free instances up to its minimum', () => {
  const [cars] = repeats(CAR);
  expect(instances.of(cars!, '')).toEqual([0, 1]);
  expect(instancesOf([`${uuid(4)}[1]`]).of(cars!, '')).toEqual([0, 1]);
  expect(instancesOf([`${uuid(4)}[9]`]).of(cars!, '')).toEqual([0, 9]);
});

test('pathsWithin: one path for each instance, and the outer one for a section that does not repeat', () => {
  expect(pathsWithin(instances, ROOM!, '')).toEqual([room(2), room(3), room(12)]);
  expect(pathsWithin(instances, DOOR!, room(3))).toEqual([door(3, 5)]);
  expect(pathsWithin(instances, PLAIN!, room(3))).toEqual([room(3)]);
});

test.each<[string, string, string[]]>([
  ['all', '', [door(2, 0), door(3, 5), door(12, 0)]],
  ['those of one room', room(2), [door(2, 0)]],
  ['one itself', door(3, 5), [door(3, 5)]],
  ['none of a room that is not there', room(4), []],
])('pathsBelow: %s', (_, outer, expected) =>
  expect(pathsBelow(instances, repeats(ROOM, DOOR), outer)).toEqual(expected),
);

test.each<[string, (typeof ROOM)[], (typeof ROOM)[], string, string]>([
  ['the same repeat sections share the path', [ROOM, DOOR], [ROOM, DOOR], door(3, 5), door(3, 5)],
  ['an outer one shares the path around', [ROOM, DOOR], [ROOM], door(3, 5), room(3)],
  ['an inner one shares the whole path', [ROOM], [ROOM, DOOR], room(3), room(3)],
  ['another one shares nothing', [ROOM], [CAR], room(3), ''],
  ['outside of all, nothing is shared', [ROOM], [], room(3), ''],
  ['from outside of all, nothing is shared', [], [ROOM], '', ''],
  ['of all instances, nothing is shared', [ROOM], [ROOM], '', ''],
  [
    'of all instances of an inner one, the path around is shared',
    [ROOM, DOOR],
    [ROOM, DOOR],
    room(3),
    room(3),
  ],
])('sharedPath: %s', (_, from, to, path, expected) =>
  expect(sharedPath(repeats(...from), repeats(...to), path)).toBe(expected),
);

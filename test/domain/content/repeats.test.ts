import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { nextIndex, type Repeat, repeatWithin } from '../../../shared/domain/content/repeats.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';

const index = indexContent(
  Content.parse({
    sections: [
      section(1, [field(11)], {
        repeat: { max: 3 },
        sections: [section(2, [field(21)], { repeat: { max: 4 } }), section(3, [field(31)])],
      }),
    ],
  }),
);
const place = (n: number) => index.sections.get(uuid(n))!;
const room = (i: number) => `${uuid(1)}[${i}]`;
const door = (i: number, j: number) => `${room(i)}/${uuid(2)}[${j}]`;

test.each<[string, number, string]>([
  ['an outermost section', 1, ''],
  ['a section in the last instance of another', 2, room(2)],
])('repeatWithin: %s', (_, n, outer) =>
  expect(repeatWithin(place(n), outer)).toEqual({ section: place(n).section, outer }),
);

test.each<[string, number, string, string, string]>([
  ['a section that does not repeat', 3, room(0), 'section_id', 'value_error'],
  ['a path around an outermost section', 1, room(0), 'parent_path', 'value_error'],
  ['no path around an inner section', 2, '', 'parent_path', 'value_error'],
  ['the path of the section itself', 2, door(0, 0), 'parent_path', 'value_error'],
  ['an instance beyond the maximum', 2, room(3), 'parent_path', 'less_than_equal'],
])('repeatWithin: a problem for %s', (_, n, outer, name, type) =>
  expect(repeatWithin(place(n), outer)).toMatchObject([{ loc: ['body', name], type }]),
);

test.each<[string, number, string, string[], number | undefined]>([
  ['0 where nothing is used', 2, room(0), [''], 0],
  ['the one after the last', 2, room(0), [door(0, 0), door(0, 2)], 3],
  ['the lowest free one at the end', 2, room(0), [door(0, 0), door(0, 3)], 1],
  ['none when all are used', 2, room(0), [0, 1, 2, 3].map((j) => door(0, j)), undefined],
  ['whatever other instances have', 2, room(0), [door(1, 3), door(2, 0)], 0],
  ['one after those that only inner sections use', 1, '', [door(1, 3)], 2],
])('nextIndex: %s', (_, n, outer, paths, expected) =>
  expect(nextIndex(repeatWithin(place(n), outer) as Repeat, paths)).toBe(expected),
);

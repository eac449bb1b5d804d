import {
  innermostIndexOf,
  instanceWithin,
  outerPath,
  readSegment,
  segmentsOf,
  splitInnermost,
} from '../../../shared/domain/content/instance-paths.ts';
import { uuid } from '../../support/content.ts';

const [ROOM, DOOR] = [uuid(1), uuid(2)];
const NESTED = `${ROOM}[3]/${DOOR}[0]`;

test('a path is built from instances, outermost first', () =>
  expect(instanceWithin(instanceWithin('', ROOM, 3), DOOR, 0)).toBe(NESTED));

test.each<[string, string[]]>([
  ['', []],
  [`${ROOM}[3]`, [`${ROOM}[3]`]],
  [NESTED, [`${ROOM}[3]`, `${DOOR}[0]`]],
])('the segments of "%s"', (path, segments) => expect(segmentsOf(path)).toEqual(segments));

test.each<[string, ReturnType<typeof readSegment>]>([
  [`${ROOM}[12]`, { sectionId: ROOM, index: 12 }],
  [`${ROOM}[0]`, { sectionId: ROOM, index: 0 }],
  [`${ROOM}[01]`, undefined],
  [`${ROOM}[-1]`, undefined],
  [`${ROOM}[]`, undefined],
  [`${ROOM}[1]x`, undefined],
  [`${ROOM}[100]`, { sectionId: ROOM, index: 100 }],
  ['[1]', undefined],
  [ROOM, undefined],
])('the segment "%s"', (segment, expected) => expect(readSegment(segment)).toEqual(expected));

test.each<[string, number]>([
  ['', 0],
  [`${ROOM}[12]`, 12],
  [NESTED, 0],
])('the innermost index of "%s" is %d', (path, index) => expect(innermostIndexOf(path)).toBe(index));

test('the first segments of a path are the path around', () => {
  expect(outerPath(NESTED, 1)).toBe(`${ROOM}[3]`);
  expect(outerPath(NESTED, 0)).toBe('');
  expect(outerPath(`${NESTED}/${DOOR}[7]`, 2)).toBe(NESTED);
});

test('a path is divided at its last segment', () => {
  expect(splitInnermost(NESTED)).toEqual({
    outer: `${ROOM}[3]`,
    sectionPath: `${ROOM}[3]/${DOOR}`,
    index: 0,
  });
  expect(splitInnermost(`${ROOM}[12]`)).toEqual({ outer: '', sectionPath: ROOM, index: 12 });
});

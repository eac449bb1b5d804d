import { isAppOnly } from '../../../shared/http/operation/surface.ts';
import type { Catalogue, KeyEntry } from '../../catalogue.ts';
import { AREAS, SHOWN_WITH } from '../prose.ts';
import { emitters } from './emitters.ts';
import type { OpenApiDocument } from './types.ts';

type Tag = OpenApiDocument['tags'][number];

/** The area under which the reference shows an operation. */
const shownArea = ({ area, operation }: KeyEntry): string =>
  isAppOnly(operation) ? 'app' : (SHOWN_WITH[area] ?? area);

/** The tag of an operation: the title of its area. */
export const tagOf = (entry: KeyEntry): string => AREAS[shownArea(entry)]?.name ?? shownArea(entry);

/** The tags of these operations, in their order. That of the events says what emits each. */
export const tagsOf = (entries: readonly KeyEntry[], catalogue: Catalogue): Tag[] =>
  [...new Set(entries.map(shownArea))].map((area) => {
    const tag: Tag = AREAS[area] ?? { name: area };
    return area === 'events' ? { ...tag, description: `${tag.description}\n\n${emitters(catalogue)}` } : tag;
  });

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Sorts operations by area, then by path, then by method. */
export const inReadingOrder = (entries: readonly KeyEntry[]): KeyEntry[] => {
  const areas = [...new Set([...Object.keys(AREAS), ...entries.map(shownArea)])];
  return entries.toSorted(
    (a, b) =>
      areas.indexOf(shownArea(a)) - areas.indexOf(shownArea(b)) ||
      (a.operation.path < b.operation.path ? -1 : Number(a.operation.path > b.operation.path)) ||
      METHODS.indexOf(a.operation.method) - METHODS.indexOf(b.operation.method),
  );
};

import Fraction from 'fraction.js';
import type { FieldScore } from '../../../schemas/inspections/score.ts';
import type { Section } from '../../../schemas/templates/content.ts';
import type { Evaluation } from '../conditions/evaluate.ts';
import type { ContentIndex } from '../content-index.ts';
import { placeName } from '../instance-paths.ts';
import { fieldInstances, type FieldInstance } from '../instances.ts';
import { isFailed } from '../values/comparison.ts';
import { exact, worthsOf } from './worth.ts';

/** Failed fields that count more often, because they have failed at the same place before. */
export interface RepeatedFields {
  /** How often each of them counts. */
  factor: number;
  /** By `placeName`. */
  places: ReadonlySet<string>;
}

/** A field in one of its instances that counts towards the score, or that is critical and failed. */
interface Item extends FieldInstance {
  status: FieldScore['status'];
  isFailed: boolean;
  /** What it earns and could earn, in points; null when it does not count. */
  part: { score: Fraction; max: Fraction } | null;
  /** How often it counts. Its points are multiplied already. */
  factor: number;
}

/** An item with the percentage points that it contributes to the total, and those that it could contribute. */
export interface SharedItem extends Item {
  share: Fraction;
  shareMax: Fraction;
}

const NOTHING = new Fraction(0);

const itemOf = (
  { index, standingOf, answerOf }: Evaluation,
  { place, instance_path }: FieldInstance,
  repeated: RepeatedFields | undefined,
): Item | undefined => {
  const { field } = place;
  const worth = worthsOf(index).get(field.id);
  if (!worth && !field.critical) return undefined;
  const isHidden = standingOf(place, instance_path) === 'hidden';
  const answer = isHidden ? undefined : answerOf(place, instance_path);
  const hasFailed = answer !== undefined && !answer.is_na && isFailed(field, index, answer.value);
  const isRepeated = hasFailed && repeated?.places.has(placeName(field.id, instance_path));
  const factor = isRepeated ? repeated!.factor : 1;
  const item = (status: Item['status'], part: Item['part'] = null): Item => ({
    place,
    instance_path,
    status,
    isFailed: hasFailed,
    part,
    factor: part ? factor : 1,
  });
  if (!worth) return hasFailed ? item('excluded') : undefined;
  if (isHidden) return item('hidden');
  if (answer?.is_na) return item('not_applicable');
  const { max } = worth;
  if (answer) {
    const times = exact(factor);
    return item('counted', { score: worth.of(answer.value).mul(times), max: max.mul(times) });
  }
  return index.content.scoring.unanswered === 'exclude'
    ? item('excluded')
    : item('unanswered', { score: NOTHING, max });
};

/** A section, or the content as a whole. */
type WeightedSection = Pick<Section, 'id' | 'weight' | 'sections'>;

/** Units by the ids of sections: a section's percentage points are divided among the units in it. */
type Units = Map<string, Fraction>;

/** How many units of its section an item is: its weight in the weighted method, else the points it could earn. */
const unitOf = ({ place, part, factor }: Item, isWeighted: boolean): Fraction => {
  if (!part) return NOTHING;
  return isWeighted ? exact(place.field.weight).mul(exact(factor)) : part.max;
};

/** The units of the items that are directly in each section. */
const ownUnits = (items: readonly Item[], isWeighted: boolean): Units => {
  const units: Units = new Map();
  for (const item of items) {
    const { id } = item.place.section;
    units.set(id, (units.get(id) ?? NOTHING).add(unitOf(item, isWeighted)));
  }
  return units;
};

/** Adds to `units` the units of the sections inside each section. @returns all units of the part */
const addInnerUnits = (units: Units, { id, sections }: WeightedSection, isWeighted: boolean): Fraction => {
  const all = sections.reduce(
    (total, inner) => {
      const within = addInnerUnits(units, inner, isWeighted);
      return within.n === 0n ? total : total.add(isWeighted ? exact(inner.weight) : within);
    },
    units.get(id) ?? NOTHING,
  );
  units.set(id, all);
  return all;
};

/** Sets what one unit is worth in each section, in percentage points, when `part` as a whole is worth `points`. */
const divide = (
  worth: Map<string, Fraction>,
  units: Units,
  { id, sections }: WeightedSection,
  points: Fraction,
  isWeighted: boolean,
): void => {
  const all = units.get(id)!;
  if (all.n === 0n) return;
  const each = points.div(all);
  worth.set(id, each);
  for (const inner of sections)
    divide(
      worth,
      units,
      inner,
      each.mul(isWeighted ? exact(inner.weight) : units.get(inner.id)!),
      isWeighted,
    );
};

/**
 * Divides the 100 percentage points of the total among sections and fields. In the weighted method they are divided
 * by weight, and a section is one item of the section around it, however many instances it has. In the other methods
 * they are divided by the points that the fields could earn.
 */
const divided = ({ content }: ContentIndex, items: readonly Item[]): SharedItem[] => {
  const isWeighted = content.scoring.method === 'weighted';
  const whole: WeightedSection = { id: '', weight: 1, sections: content.sections };
  const units = ownUnits(items, isWeighted);
  addInnerUnits(units, whole, isWeighted);
  const worth = new Map<string, Fraction>();
  divide(worth, units, whole, new Fraction(100), isWeighted);
  return items.map((item) => {
    const shareMax = (worth.get(item.place.section.id) ?? NOTHING).mul(unitOf(item, isWeighted));
    const { score, max } = item.part ?? { score: NOTHING, max: new Fraction(1) };
    return { ...item, shareMax, share: shareMax.mul(score).div(max) };
  });
};

/** Everything that the score is made of, in document order. */
export const sharedItems = (evaluation: Evaluation, repeated?: RepeatedFields): SharedItem[] => {
  const { index, instances } = evaluation;
  const items = [...fieldInstances(index, instances)].flatMap(
    (instance) => itemOf(evaluation, instance, repeated) ?? [],
  );
  return divided(index, items);
};

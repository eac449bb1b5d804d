import { own } from '../../base/fields.ts';
import type { InspectionSection, SectionInstance } from '../../schemas/inspections/outline.ts';
import type { SectionScore } from '../../schemas/inspections/score.ts';
import type { Section } from '../../schemas/templates/content.ts';
import type { Evaluation } from './conditions/evaluate.ts';
import { isAnswerable } from './content-index.ts';
import { pathsWithin } from './instances.ts';
import { labelWithAnswers, titleStand, withAnswers } from './piping.ts';
import { type Progress, progressIn } from './progress.ts';
import { isEmpty } from './values/answer.ts';

const NOTHING: Progress = { answered: 0, required: 0, total: 0 };

const sum = (all: readonly Progress[]): Progress => {
  const total = { ...NOTHING };
  for (const { answered, required, total: asked } of all) {
    total.answered += answered;
    total.required += required;
    total.total += asked;
  }
  return total;
};

/** The start answers as a section; none where the content asks for none. */
const startOutline = (evaluation: Evaluation): InspectionSection[] => {
  const { index, start, startStandingOf } = evaluation;
  const all = [...index.startFields.values()];
  if (all.length === 0) return [];
  const shown = all.filter((field) => startStandingOf(field) !== 'hidden');
  const asked = shown.filter(isAnswerable);
  const progress: Progress = {
    answered: asked.filter(({ key }) => !isEmpty(own(start, key))).length,
    required: asked.filter((field) => startStandingOf(field) === 'required').length,
    total: asked.length,
  };
  const instance: SectionInstance = {
    instance_path: '',
    label_value: null,
    ...progress,
    is_hidden: shown.length === 0,
    hidden: all.filter((field) => !shown.includes(field)).map(({ key }) => key),
    labels: shown.flatMap(({ key, label: own }) => {
      const label = withAnswers(evaluation, own, { repeats: [], path: '' });
      return label === own ? [] : [{ field_id: key, label }];
    }),
  };
  return [{ section_id: null, parent_id: null, title: '', ...progress, score: null, instances: [instance] }];
};

/** What a section itself asks in an instance. */
const ownOf = (
  evaluation: Evaluation,
  section: Section,
  path: string,
): { progress: Progress; isShown: boolean } & Omit<SectionInstance, keyof Progress | 'is_hidden'> => {
  const { index, standingOf, answerOf } = evaluation;
  const places = section.fields.map(({ id }) => index.fields.get(id)!);
  const shown = places.filter((place) => standingOf(place, path) !== 'hidden');
  const named = shown.find(({ field }) => field.id === section.repeat?.label_field_id);
  return {
    progress: progressIn(
      evaluation,
      shown.map((place) => ({ place, instance_path: path })),
    ),
    isShown: shown.length > 0 || section.fields.length + section.sections.length === 0,
    instance_path: path,
    label_value: named ? (answerOf(named, path)?.value ?? null) : null,
    hidden: places.filter((place) => !shown.includes(place)).map(({ field }) => field.id),
    labels: shown.flatMap((place) => {
      const label = labelWithAnswers(evaluation, place, path);
      return label === place.field.label ? [] : [{ field_id: place.field.id, label }];
    }),
  };
};

/** The sections of an inspection in document order, with their instances, and what is asked and answered there. */
export const outlineOf = (evaluation: Evaluation, scores: readonly SectionScore[]): InspectionSection[] => {
  const { index, instances } = evaluation;
  const parents = new Map<string, string>();
  for (const { section } of index.sections.values())
    for (const { id } of section.sections) parents.set(id, section.id);
  const scoreOf = new Map(scores.map((score) => [score.section_id, score]));
  const sections = new Map<string, InspectionSection>();
  for (const place of index.sections.values()) {
    const { id, title } = place.section;
    const score = scoreOf.get(id);
    sections.set(id, {
      section_id: id,
      parent_id: parents.get(id) ?? null,
      title: withAnswers(evaluation, title, titleStand(place, '')),
      ...NOTHING,
      score: score
        ? { percentage: score.percentage, points: score.points, max: score.max, result: score.result }
        : null,
      instances: [],
    });
  }
  /** Adds the instances of a section within an outer one, with the sections in them. */
  const add = (section: Section, outer: string): SectionInstance[] => {
    const entry = sections.get(section.id)!;
    const added = pathsWithin(instances, section, outer).map((path): SectionInstance => {
      const { progress, isShown, ...rest } = ownOf(evaluation, section, path);
      const instance = { ...rest, ...progress, is_hidden: !isShown };
      entry.instances.push(instance);
      const inner = section.sections.flatMap((each) => add(each, path));
      const is_hidden = instance.is_hidden && inner.every((each) => each.is_hidden);
      return Object.assign(instance, sum([progress, ...inner]), { is_hidden });
    });
    Object.assign(entry, sum([entry, ...added]));
    return added;
  };
  for (const section of index.content.sections) add(section, '');
  return [...startOutline(evaluation), ...sections.values()];
};

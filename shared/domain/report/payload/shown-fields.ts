import type { FieldPlace } from '../../content/content-index.ts';
import { fieldInstances, type FieldInstance } from '../../content/instances.ts';
import type { ReportedAnswer } from '../sources.ts';
import { answerAt, type EvaluatedSources, isShown } from './sources.ts';

/** A field in an instance in which no condition hides it. */
export interface ShownField extends FieldInstance {
  place: FieldPlace;
  answer: ReportedAnswer | undefined;
}

/** Every field that no condition hides, instance by instance in document order. */
export const shownFields = (sources: EvaluatedSources): ShownField[] =>
  [...fieldInstances(sources.index, sources.evaluation.instances)]
    .filter(({ place, instance_path }) => isShown(sources, place, instance_path))
    .map(({ place, instance_path }) => ({
      place,
      instance_path,
      answer: answerAt(sources, place, instance_path),
    }));

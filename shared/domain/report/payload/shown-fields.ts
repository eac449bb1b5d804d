import type { FieldPlace } from '../../content/content-index.ts';
import { fieldInstances, type FieldInstance } from '../../content/instances.ts';
import type { ReportedAnswer } from '../material.ts';
import { answerAt, type EvaluatedMaterial, isShown } from './material.ts';

/** A field in an instance in which no condition hides it. */
export interface ShownField extends FieldInstance {
  place: FieldPlace;
  answer: ReportedAnswer | undefined;
}

/** Every field that no condition hides, instance by instance in document order. */
export const shownFields = (material: EvaluatedMaterial): ShownField[] =>
  [...fieldInstances(material.index, material.evaluation.instances)]
    .filter(({ place, instance_path }) => isShown(material, place, instance_path))
    .map(({ place, instance_path }) => ({
      place,
      instance_path,
      answer: answerAt(material, place, instance_path),
    }));

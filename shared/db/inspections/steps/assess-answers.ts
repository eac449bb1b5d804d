import type { Caller } from '../../../base/caller.ts';
import { withAnswers } from '../../../domain/content/piping.ts';
import { answerBlockers, missingStart } from '../../../domain/content/progress.ts';
import { scoreOf } from '../../../domain/content/scoring/explain.ts';
import type { Score } from '../../../schemas/inspections/inspection.ts';
import type { Section } from '../../../schemas/templates/content.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { readEvaluation } from '../scores.ts';

/** The ids of sections, with those within them. */
const sectionIdsWithin = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ id, sections: inner }) => [id, ...sectionIdsWithin(inner)]);

const blockerText = (what: string, reason: string, message: string | undefined): string =>
  message === undefined ? `${what}: ${reason}` : `${what}: ${reason} (${message})`;

/**
 * What is missing in the answers, named for the message of a 409, and the score.
 * @param sectionIds the sections to look at, with those within them; absent for all and the start answers
 * @returns a null score when it looked at some sections only
 */
export const assessAnswers = async (
  caller: Caller,
  inspection: StoredInspection,
  sectionIds?: readonly string[],
): Promise<{ blockers: string[]; score: Score | null }> => {
  const { answers, evaluation } = await readEvaluation(caller, inspection);
  const { index } = evaluation;
  const shown = (text: string) => withAnswers(evaluation, text, { repeats: [], path: '' });
  const own =
    sectionIds && new Set(sectionIdsWithin(sectionIds.map((id) => index.sections.get(id)!.section)));
  const fields = answerBlockers(evaluation, answers).filter(
    ({ field_id }) => !own || own.has(index.fields.get(field_id)!.section.id),
  );
  const blockers = [
    ...(own
      ? []
      : missingStart(evaluation).map(({ label, required_message }) =>
          blockerText(shown(label), 'required', required_message && shown(required_message)),
        )),
    ...fields.map(({ label, instance_path, reason, message }) =>
      blockerText(instance_path ? `${label} at ${instance_path}` : label, reason, message),
    ),
  ];
  return { blockers, score: own ? null : scoreOf(evaluation) };
};

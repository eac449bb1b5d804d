import type { Caller } from '../../../base/caller.ts';
import type { Evaluation } from '../../../domain/content/conditions/evaluate.ts';
import type { FieldPlace } from '../../../domain/content/content-index.ts';
import { type FindingTexts, findingTexts } from '../../../domain/content/new-finding.ts';
import { namedText } from '../../../domain/content/piping.ts';
import { references } from '../../../domain/content/values/references.ts';
import { keys } from '../../table/keys.ts';
import { getRows } from '../../table/rows.ts';

/** The texts of a new finding of an answer to a field, in an instance. */
export type FindingTextsOf = (place: FieldPlace, path: string) => FindingTexts;

/**
 * The texts of new findings, with people, clients and locations by their names. Calls: one for each hundred names, none
 * when the texts show none.
 */
export const readFindingTexts = async (
  caller: Caller,
  evaluation: Evaluation,
  created: readonly { place: FieldPlace; instance_path: string }[],
): Promise<FindingTextsOf> => {
  const named = new Map<string, ReturnType<typeof keys.one<'MEMBER' | 'CLIENT' | 'LOCATION'>>>();
  for (const { place, instance_path } of created)
    findingTexts(evaluation, place, instance_path, (question, value) => {
      const { user_ids, client_account_ids, location_ids } = references(question, value);
      for (const id of user_ids) named.set(id, keys.one(caller, 'MEMBER', id));
      for (const id of client_account_ids) named.set(id, keys.one(caller, 'CLIENT', id));
      for (const id of location_ids) named.set(id, keys.one(caller, 'LOCATION', id));
      return '';
    });
  const rows = await getRows(caller, [...named.values()]);
  const names = new Map([...named.keys()].flatMap((id, n) => (rows[n] ? [[id, rows[n].name]] : [])));
  const textOf = namedText(evaluation.index, names);
  return (place, path) => findingTexts(evaluation, place, path, textOf);
};

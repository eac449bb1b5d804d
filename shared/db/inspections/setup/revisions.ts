import { isDeepStrictEqual } from 'node:util';
import type { Revision } from '../../../schemas/inspections/correction.ts';
import { type FieldFor, fieldsFor } from '../../../schemas/inspections/fields.ts';
import type { StoredInspection } from '../../table/entities.ts';

/** What a correction can change of an inspection itself. */
type Correctable = Pick<StoredInspection, FieldFor<'correction'> | 'version'>;

/** A change of one field or start answer, as a revision records it. */
const revisionOf = (
  answer_source: Exclude<Revision['answer_source'], 'body'>,
  field_id: string,
  version: number,
  was: unknown,
  is: unknown,
) => ({
  revision: {
    answer_source,
    field_id,
    section_id: null,
    instance_index: 0,
    instance_path: '',
    previous_value: was ?? null,
    value: is ?? null,
    previous_note: '',
    note: '',
    previous_is_na: false,
    is_na: false,
    version,
  },
  before: was,
});

type Values = Readonly<Record<string, unknown>>;

/** The changes of an inspection itself by a correction: one for each field of the setup and for each start answer. */
export const setupRevisions = (before: Correctable, after: Correctable): ReturnType<typeof revisionOf>[] => {
  const changes = (source: 'setup' | 'start', names: Iterable<string>, was: Values, is: Values) =>
    [...names]
      .filter((name) => !isDeepStrictEqual(was[name], is[name]))
      .map((name) => revisionOf(source, name, before.version + 1, was[name], is[name]));
  const [was, is] = [before.start_answers, after.start_answers];
  const fields = fieldsFor('correction').filter((name) => name !== 'start_answers');
  return [
    ...changes('setup', fields, before, after),
    ...changes('start', new Set([...Object.keys(was), ...Object.keys(is)]), was, is),
  ];
};

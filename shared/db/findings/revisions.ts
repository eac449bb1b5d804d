import { innermostIndexOf } from '../../domain/content/instance-paths.ts';
import type { Revision } from '../../schemas/inspections/correction.ts';
import type { StoredFinding } from '../table/entities.ts';

/** The `field_id` of a revision that adds or removes a finding. */
export const FINDING = 'finding';

/** A finding that a correction adds, or that is removed when the correction is taken back, as a revision records it. */
export const findingRevision = (
  { id, number, label, severity, section_id, field_id, instance_path, version }: StoredFinding,
  act: 'add' | 'remove',
) => {
  const shown = { id, number, label, severity, field_id };
  return {
    revision: {
      answer_source: 'setup' as const,
      field_id: FINDING,
      section_id,
      instance_index: innermostIndexOf(instance_path),
      instance_path,
      previous_value: act === 'add' ? null : shown,
      value: act === 'add' ? shown : null,
      previous_note: '',
      note: '',
      previous_is_na: false,
      is_na: false,
      version,
    },
    before: null,
  };
};

/** The id of the finding that a revision adds; undefined for any other revision. */
export const addedFindingId = ({ answer_source, field_id, value }: Revision): string | undefined =>
  answer_source === 'setup' && field_id === FINDING
    ? ((value as { id: string } | null)?.id ?? undefined)
    : undefined;

import type { ReportCorrection, ReportSignature } from '../../../schemas/reports/report-payload.ts';
import { isAnswered } from '../../content/values/answer.ts';
import { actingOf } from './answers.ts';
import { questionPlace } from './places.ts';
import type { ShownField } from './shown-fields.ts';
import type { EvaluatedSources } from './sources.ts';

interface StoredSignature {
  document_id?: string | null;
  typed?: string | null;
  signed_name: string;
  signed_at?: string | null;
}

/** A signature with the time at which it was given, as far as that is known. */
type Given = Omit<ReportSignature, 'before_correction'> & { at: string | null };

const answered = (
  sources: EvaluatedSources,
  { place: { field, section }, instance_path, answer }: ShownField,
): Given[] => {
  if (field.type !== 'signature' || !answer || !isAnswered(answer) || answer.is_na) return [];
  const { document_id, typed, signed_name, signed_at } = answer.value as StoredSignature;
  const at = signed_at ? new Date(signed_at).toISOString() : null;
  return [
    {
      source: 'field',
      ...questionPlace(sources, section.id, field.id, instance_path),
      signed_name,
      signed_at: at,
      document_id: document_id ?? null,
      typed: typed ?? null,
      company: null,
      declined: false,
      reason: '',
      // A client may claim any time; the service knows when it got the signature.
      at: answer.answered_at ?? at,
    },
  ];
};

const signedOff = (sources: EvaluatedSources): Given[] =>
  sources.signOffs.map(({ user_id, acted_via_key_id, contact, ...signature }) => {
    const { signed_name, signed_at, declined, reason } = signature;
    const signed_for = actingOf(sources, user_id, acted_via_key_id);
    return {
      source: 'sign_off',
      ...questionPlace(sources, null, null, ''),
      signed_name,
      signed_at,
      ...(signed_for && { signed_for }),
      document_id: null,
      typed: declined ? null : signed_name,
      company: contact?.company || null,
      declined,
      reason,
      at: signed_at,
    };
  });

/** The signatures among the answers, and those of the sign-off. */
export const reportSignatures = (
  sources: EvaluatedSources,
  shown: readonly ShownField[],
  corrections: readonly ReportCorrection[],
): ReportSignature[] =>
  [...shown.flatMap((field) => answered(sources, field)), ...signedOff(sources)].map(
    ({ at, ...signature }) => ({
      ...signature,
      before_correction:
        corrections.find(
          ({ status, opened_at, changes }) =>
            status === 'closed' && at !== null && at < opened_at && changes.length > 0,
        )?.position ?? null,
    }),
  );

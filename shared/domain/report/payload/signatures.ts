import type { ReportSignature } from '../../../schemas/reports/report-payload.ts';
import { isAnswered } from '../../content/values/answer.ts';
import { type EvaluatedSources, shownText } from './fields.ts';
import type { ShownField } from './shown-fields.ts';

const signatureOf = (
  sources: EvaluatedSources,
  { place: { field, repeats }, answer }: ShownField,
): ReportSignature[] => {
  if (field.type !== 'signature' || !answer || !isAnswered(answer) || answer.is_na) return [];
  const { document_id, typed, signed_name, signed_at } = answer.value as {
    document_id?: string | null;
    typed?: string | null;
    signed_name: string;
    signed_at: string | null;
  };
  return [
    {
      label: shownText(sources, field.label, { repeats, path: answer.instance_path }),
      signed_name,
      signed_at: signed_at && new Date(signed_at).toISOString(),
      document_id: document_id ?? null,
      typed: typed ?? null,
    },
  ];
};

/** The signatures among the answers. */
export const reportSignatures = (
  sources: EvaluatedSources,
  shown: readonly ShownField[],
): ReportSignature[] => shown.flatMap((each) => signatureOf(sources, each));

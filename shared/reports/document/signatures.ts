import type { ReportSignature } from '../../schemas/reports/report-payload.ts';
import type { Context } from './context.ts';
import type { SignaturesBlock } from './document.ts';
import { placeWords } from './places.ts';
import { inWords } from './spans.ts';
import { actingWords } from './who.ts';

type Signature = SignaturesBlock['signatures'][number];

const labelOf = (context: Context, signature: ReportSignature): string => {
  if (signature.source === 'sign_off') return context.texts.signOff;
  // In a repeat, its question alone does not say whose signature it is.
  return signature.instances.length > 0 ? placeWords(context, signature) : (signature.field_label ?? '');
};

export const documentSignatures = (context: Context): Signature[] => {
  const { texts, formats, payload } = context;
  return payload.signatures.map((signature) => {
    const { signed_name, signed_at, signed_for, document_id, typed, before_correction } = signature;
    const when = signed_at === null ? '' : inWords(texts.signedOn, { when: formats.dateTime(signed_at) });
    return {
      label: labelOf(context, signature),
      name: signed_name,
      signed: [when, actingWords(context, signed_for)].filter(Boolean).join(' · '),
      image: document_id,
      typed,
      remark:
        before_correction === null ? '' : inWords(texts.beforeCorrection, { n: String(before_correction) }),
    };
  });
};

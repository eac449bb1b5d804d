import { correctedField } from '../../schemas/inspections/fields.ts';
import type {
  ReportActing,
  ReportAnswerState,
  ReportChange,
  ReportCorrection,
  ReportSignature,
} from '../../schemas/reports/report-payload.ts';
import type { Context } from './context.ts';
import type { SignaturesBlock, CorrectionsBlock, Fact, Paragraph } from './document.ts';
import { inWords, paragraphsOf, plain } from './spans.ts';
import { placeWords, actingWords, answerParagraphs, placeLink, timeAndPerson } from './words.ts';

type Signature = SignaturesBlock['signatures'][number];

const labelOf = (context: Context, signature: ReportSignature): string => {
  if (signature.source === 'sign_off') return context.texts.signOff;
  // In a repeat, the question alone does not identify the signature.
  return signature.instances.length > 0 ? placeWords(context, signature) : (signature.field_label ?? '');
};

export const documentSignatures = (context: Context): Signature[] => {
  const { texts, formats, payload } = context;
  return payload.signatures.map((signature) => {
    const { signed_name, signed_at, signed_for, document_id, typed, before_correction } = signature;
    const { company, declined, reason } = signature;
    const dated = declined ? texts.declinedOn : texts.signedOn;
    const when = signed_at === null ? '' : inWords(dated, { when: formats.dateTime(signed_at) });
    const remarks = [
      reason,
      before_correction === null ? '' : inWords(texts.beforeCorrection, { n: String(before_correction) }),
    ];
    return {
      label: labelOf(context, signature),
      name: [signed_name, company].filter(Boolean).join(', '),
      signed: [when, actingWords(context, signed_for)].filter(Boolean).join(' · '),
      image: document_id,
      typed,
      remark: remarks.filter(Boolean).join(' · '),
    };
  });
};

type CorrectionEntry = CorrectionsBlock['corrections'][number];

/** Stands where a field of the setup has no value. */
const NOTHING = '–';

/** An answer with its note, before or after a change. */
const stateOf = (
  context: Context,
  { answer, is_na, note }: ReportAnswerState,
  { source }: Pick<ReportChange, 'source'>,
  showsNote: boolean,
): Paragraph[] => {
  const { texts } = context;
  const value = (): Paragraph[] => {
    if (is_na) return [plain(texts.notApplicable)];
    if (answer) return answerParagraphs(context, answer);
    return [plain(source === 'setup' ? NOTHING : texts.notAnswered)];
  };
  const [first = [], ...more] = showsNote ? paragraphsOf(note) : [];
  return [...value(), ...(first.length > 0 ? [[{ text: `${texts.note}: ` }, ...first], ...more] : [])];
};

/** What was changed: a question, as a link to it, or a field of the inspection itself. */
const placeOf = (context: Context, change: ReportChange): Paragraph => {
  const { source, field_id } = change;
  if (source !== 'setup' || field_id === null) return placeLink(context, change);
  const known = correctedField(field_id);
  return plain(known ? context.texts[known.label] : field_id);
};

const changeOf = (context: Context, change: ReportChange): CorrectionEntry['changes'][number] => {
  const { before, after, changed_by_name, changed_at } = change;
  const hasNoteChanged = before.note !== after.note;
  return {
    place: placeOf(context, change),
    before: stateOf(context, before, change, hasNoteChanged),
    after: stateOf(context, after, change, hasNoteChanged),
    by: timeAndPerson(context, changed_at, changed_by_name),
  };
};

const factsOf = (context: Context, correction: ReportCorrection): Fact[] => {
  const { texts } = context;
  const { status, opened_by_name, opened_at, closed_by_name, closed_at } = correction;
  const { approved_by_name, approved_at, approved_for } = correction;
  const said = (at: string, name: string | null, actedFor?: ReportActing) => [
    plain(timeAndPerson(context, at, name, actedFor)),
  ];
  return [
    { name: texts.opened, value: said(opened_at, opened_by_name) },
    {
      name: texts.closed,
      value: closed_at === null ? [plain(texts.stillOpen)] : said(closed_at, closed_by_name),
    },
    ...(status === 'pending_approval'
      ? [{ name: texts.status, value: [plain(texts.statuses.pending_approval)] }]
      : []),
    ...(approved_at === null
      ? []
      : [{ name: texts.approved, value: said(approved_at, approved_by_name, approved_for) }]),
  ];
};

/** What was changed after completion: who, when, why, and each old and new value. */
export const documentCorrections = (context: Context): CorrectionEntry[] =>
  context.payload.corrections.map((correction) => ({
    anchor: `correction-${correction.position}`,
    title: inWords(context.texts.correction, { n: String(correction.position) }),
    facts: factsOf(context, correction),
    reason: paragraphsOf(correction.reason),
    changes: correction.changes.map((change) => changeOf(context, change)),
  }));

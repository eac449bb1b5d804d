import type {
  ReportFinding,
  ReportReason,
  ReportSummary,
  ReportCorrection,
  ReportSignature,
} from '../../../schemas/reports/report-payload.ts';
import { isAnswerable } from '../../content/content-index.ts';
import { progressOf } from '../../content/progress.ts';
import { failReasons } from '../../content/scoring/reasons.ts';
import { isAnswered } from '../../content/values/answer.ts';
import { isFailed } from '../../content/values/comparison.ts';
import { actingOf } from './answers.ts';
import { shownTitle } from './fields.ts';
import type { EvaluatedMaterial } from './material.ts';
import { questionPlace } from './places.ts';
import type { ShownField } from './shown-fields.ts';

const countsOf = ({ index }: EvaluatedMaterial, shown: readonly ShownField[]): ReportSummary['counts'] => {
  const counts = { answered: 0, failed: 0, na: 0 };
  for (const { place, answer } of shown) {
    const { field } = place;
    if (!answer || !isAnswered(answer)) continue;
    if (isAnswerable(field)) counts.answered += 1;
    if (answer.is_na) counts.na += 1;
    else if (isFailed(field, index, answer.value)) counts.failed += 1;
  }
  return counts;
};

const findingCounts = (findings: readonly ReportFinding[]): ReportSummary['findings'] => {
  const counts = { observation: 0, minor: 0, major: 0, critical: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
};

const actionCounts = (findings: readonly ReportFinding[]): ReportSummary['corrective_actions'] => {
  const counts = { open: 0, in_progress: 0, pending_verification: 0, verified: 0, cancelled: 0, overdue: 0 };
  for (const { status, is_overdue } of findings.flatMap((finding) => finding.corrective_actions)) {
    counts[status] += 1;
    if (is_overdue) counts.overdue += 1;
  }
  return counts;
};

type Explained = EvaluatedMaterial['explained'];

/** Why an inspection failed: the critical items, then what is below its passing score. */
const reasonsOf = (material: EvaluatedMaterial): ReportReason[] => {
  const { criticalItems, shortfalls } = failReasons(material.evaluation, material.repeated);
  return [
    ...criticalItems.map(({ place: { section, field }, instance_path }) => ({
      kind: 'critical_item' as const,
      ...questionPlace(material, section.id, field.id, instance_path),
    })),
    ...shortfalls.map(({ section_id, ...figures }): ReportReason => {
      if (section_id === null) return { kind: 'total', ...figures };
      return {
        kind: 'section',
        section_id,
        section_title: shownTitle(material, section_id, '')!,
        ...figures,
      };
    }),
  ];
};

const verdictOf = (material: EvaluatedMaterial, explained: Explained): ReportSummary['verdict'] => {
  const result = explained.score?.result ?? null;
  if (material.isDraft || result === null) return null;
  const reasons = result === 'fail' ? reasonsOf(material) : [];
  return { result, passing_score: explained.passing_score, reasons };
};

const scoresOf = (
  material: EvaluatedMaterial,
  { score, sections }: Explained,
): Pick<ReportSummary, 'score' | 'section_scores'> => ({
  score: score && { percentage: score.percentage, points: score.points, max: score.max },
  section_scores: sections.map(({ section_id, percentage, points, max, passing_score, result }) => ({
    section_id,
    // Unlike the explanation of the score, a report names people, clients and locations.
    title: shownTitle(material, section_id, '')!,
    depth: material.index.sections.get(section_id)!.depth,
    percentage,
    points,
    max,
    passing_score,
    result: material.isDraft ? null : result,
  })),
});

/** The inspection in figures. */
export const reportSummary = (
  material: EvaluatedMaterial,
  shown: readonly ShownField[],
  findings: readonly ReportFinding[],
): ReportSummary => {
  const { explained } = material;
  return {
    progress: progressOf(material.evaluation),
    counts: countsOf(material, shown),
    findings: findingCounts(findings),
    corrective_actions: actionCounts(findings),
    ...scoresOf(material, explained),
    verdict: verdictOf(material, explained),
    previous_score: explained.score === null ? null : material.previousScore,
  };
};

interface StoredSignature {
  document_id?: string | null;
  typed?: string | null;
  signed_name: string;
  signed_at?: string | null;
}

/** A signature with its time, if the time is known. */
type Given = Omit<ReportSignature, 'before_correction'> & { at: string | null };

const answered = (
  material: EvaluatedMaterial,
  { place: { field, section }, instance_path, answer }: ShownField,
): Given[] => {
  if (field.type !== 'signature' || !answer || !isAnswered(answer) || answer.is_na) return [];
  const { document_id, typed, signed_name, signed_at } = answer.value as StoredSignature;
  const at = signed_at ? new Date(signed_at).toISOString() : null;
  return [
    {
      source: 'field',
      ...questionPlace(material, section.id, field.id, instance_path),
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

const signedOff = (material: EvaluatedMaterial): Given[] =>
  material.signOffs.map(({ user_id, acted_via_key_id, contact, ...signature }) => {
    const { signed_name, signed_at, declined, reason } = signature;
    const signed_for = actingOf(material, user_id, acted_via_key_id);
    return {
      source: 'sign_off',
      ...questionPlace(material, null, null, ''),
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
  material: EvaluatedMaterial,
  shown: readonly ShownField[],
  corrections: readonly ReportCorrection[],
): ReportSignature[] =>
  [...shown.flatMap((field) => answered(material, field)), ...signedOff(material)].map(
    ({ at, ...signature }) => ({
      ...signature,
      before_correction:
        corrections.find(
          ({ status, opened_at, changes }) =>
            status === 'closed' && at !== null && at < opened_at && changes.length > 0,
        )?.position ?? null,
    }),
  );

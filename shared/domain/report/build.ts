import { type Language, languageOf } from '../../base/i18n/languages.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import type { ReportMaterial } from './material.ts';
import { reportCorrections, reportFindings } from './payload/findings.ts';
import { evaluated } from './payload/material.ts';
import { reportSections, reportStart } from './payload/sections.ts';
import { shownFields } from './payload/shown-fields.ts';
import { reportSignatures, reportSummary } from './payload/summary.ts';
import { translatedIndex } from './translated.ts';

/** The identity of a report, and the requested language; null for the language of its layout. */
export type ReportRequest = Pick<ReportPayload['report'], 'id' | 'version' | 'generated_at'> & {
  language: Language | null;
};

/** The language of a report: the requested one, else the layout's, else that of the organization's locale. */
const languageFor = ({ layout, organization }: ReportMaterial, requested: Language | null): Language =>
  requested ?? layout.language ?? languageOf(organization.locale);

/**
 * Builds the payload of a report: every section with each of its instances, every field with its answer as a typed
 * value, and the figures of the whole inspection. What conditions hide is left out. The template's texts are in the
 * report's language where it has them.
 */
export const buildPayload = (
  material: ReportMaterial,
  { language: requested, ...identity }: ReportRequest,
): ReportPayload => {
  const { organization, layout, inspection, isDraft } = material;
  const language = languageFor(material, requested);
  const { earlier } = material;
  const translated = {
    ...material,
    index: translatedIndex(material.index, language),
    ...(earlier && { earlier: { ...earlier, index: translatedIndex(earlier.index, language) } }),
  };
  const all = evaluated(translated, material.index);
  const shown = shownFields(all);
  const findings = reportFindings(all, identity.generated_at);
  const corrections = reportCorrections(all);
  return {
    organization,
    report: { ...identity, title: inspection.name, language, is_draft: isDraft },
    layout,
    inspection,
    ...(all.earlierByPlace && { compared_with: earlier!.inspection }),
    summary: reportSummary(all, shown, findings),
    start: reportStart(all),
    sections: reportSections(all),
    findings,
    signatures: reportSignatures(all, shown, corrections),
    corrections,
  };
};

import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { evaluated } from './payload/fields.ts';
import { reportActions, reportFindings } from './payload/findings.ts';
import { reportSections } from './payload/sections.ts';
import { shownFields } from './payload/shown-fields.ts';
import { reportSignatures } from './payload/signatures.ts';
import { reportSummary } from './payload/summary.ts';
import type { ReportSources } from './sources.ts';

/**
 * Builds the payload of a report: every section with each of its instances, every field with its answer as a person
 * reads it, and the figures of the whole inspection. What conditions hide is left out.
 */
export const buildPayload = (
  sources: ReportSources,
  report: Pick<ReportPayload['report'], 'id' | 'version' | 'generated_at'>,
): ReportPayload => {
  const { organization, layout, inspection } = sources;
  const all = evaluated(sources);
  const shown = shownFields(all);
  return {
    organization,
    report: { ...report, title: inspection.name },
    layout,
    inspection,
    summary: reportSummary(all, shown),
    findings: reportFindings(all),
    corrective_actions: reportActions(all, report.generated_at),
    sections: reportSections(all),
    signatures: reportSignatures(all, shown),
  };
};

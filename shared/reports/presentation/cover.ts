import { type Formats, humanize } from './format.ts';
import type { ReportInspection, ReportPayload } from './former-payload.ts';

/** The date on the cover: that of the inspection's last step, or the scheduled one before the first step. */
const dateOf = (inspection: ReportInspection): string | null =>
  inspection.completed_at ?? inspection.submitted_at ?? inspection.started_at ?? inspection.scheduled_for;

/** The storage key of the logo on the cover: the layout's own, or else the organization's; null without either. */
export const logoOf = ({
  layout,
  organization,
}: Pick<ReportPayload, 'layout' | 'organization'>): string | null => layout.theme.logo ?? organization.logo;

/** The facts about the inspection that stand on the cover; a fact that is not known is left out. */
export const detailsOf = (
  { inspection, organization }: ReportPayload,
  formats: Formats,
): { name: string; value: string }[] => {
  const { client, location, template, participants } = inspection;
  const date = dateOf(inspection);
  const people = (...roles: string[]): string =>
    participants
      .filter((participant) => roles.includes(participant.role))
      .map((participant) => participant.name)
      .join(', ');
  return [
    { name: 'Client', value: client?.name ?? '' },
    { name: 'Inspection', value: `No. ${inspection.number} · ${humanize(inspection.status)}` },
    { name: 'Location', value: [location?.name, location?.address].filter(Boolean).join('\n') },
    { name: 'Date', value: date ? formats.date(date) : '' },
    { name: 'Inspected by', value: people('lead', 'inspector') },
    { name: 'Approved by', value: people('approver') },
    { name: 'Started', value: inspection.started_at ? formats.dateTime(inspection.started_at) : '' },
    {
      name: 'Completed',
      value: inspection.completed_at ? formats.dateTime(inspection.completed_at) : '',
    },
    { name: 'Template', value: `${template.name} · version ${template.version_number}` },
    { name: 'Prepared by', value: organization.name },
  ].filter(({ value }) => value.trim() !== '');
};

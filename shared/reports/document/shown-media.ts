import type { ReportMedia, ReportSection } from '../../schemas/reports/report-answer.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { includedFields, includedSections } from './anchors.ts';

const within = ({ fields, sections }: Pick<ReportSection, 'fields' | 'sections'>): ReportMedia[] => [
  ...fields.flatMap(({ media, before }) => [...media, ...(before?.media ?? [])]),
  ...sections.flatMap((section) => (section.instances ?? [section]).flatMap(within)),
];

/** The media that the document of a report shows, as often as it shows them; none where the layout excludes media. */
export const shownMedia = ({ layout, start, sections, findings }: ReportPayload): ReportMedia[] => {
  const { include, blocks } = layout;
  const shows = (...kinds: string[]) => blocks.some(({ kind }) => kinds.includes(kind));
  if (!include.media) return [];
  return [
    ...(shows('findings', 'summary') ? findings.flatMap(({ media }) => media) : []),
    ...(shows('findings')
      ? findings.flatMap(({ corrective_actions }) =>
          corrective_actions.flatMap(({ before, after }) => [...before, ...after]),
        )
      : []),
    ...(shows('sections')
      ? within({ fields: includedFields(start, include), sections: includedSections(sections, include) })
      : []),
  ];
};

import type { Content, Section } from '../../../schemas/templates/content.ts';
import type { ContentWarning } from '../../../schemas/templates/publish-impact.ts';
import { indexContent } from '../content-index.ts';
import { worthsOf } from '../scoring/worth.ts';

/** Whether somebody has said how a section is scored. Its weight is 1 unless somebody says otherwise. */
const isMeantToScore = ({ passing_score, weight }: Section, { method }: Content['scoring']): boolean =>
  passing_score !== null || (method === 'weighted' && weight !== 0 && weight !== 1);

/** What of a content may be meant otherwise, although it can be published. @param content without problems */
export const contentWarnings = (content: Content): ContentWarning[] => {
  if (!content.scoring.enabled) return [];
  const index = indexContent(content);
  const worths = worthsOf(index);
  const hasScore = ({ fields, sections }: Section): boolean =>
    fields.some(({ id }) => worths.has(id)) || sections.some(hasScore);
  return [...index.sections.values()].flatMap(({ section }) =>
    isMeantToScore(section, content.scoring) && !hasScore(section)
      ? [{ kind: 'section_without_score' as const, section_id: section.id, title: section.title }]
      : [],
  );
};

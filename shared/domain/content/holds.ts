import type { Section } from '../../schemas/templates/content.ts';
import type { ContentIndex, FieldPlace } from './content-index.ts';

/** A section that must be signed before the sections after it are answered, and its signature fields. */
export interface Hold {
  section: Section;
  signatures: FieldPlace[];
}

const known = new WeakMap<ContentIndex, Map<string, Hold[]>>();

/** The holds before each section, by its id: those in document order whose sections it is not in. */
const holdsOf = (index: ContentIndex): Map<string, Hold[]> => {
  const found = known.get(index);
  if (found) return found;
  const before: Hold[] = [];
  const holds = new Map<string, Hold[]>();
  const visit = (section: Section): void => {
    holds.set(section.id, [...before]);
    for (const inner of section.sections) visit(inner);
    if (!section.hold) return;
    const signatures = section.fields.filter(({ type }) => type === 'signature');
    before.push({ section, signatures: signatures.map(({ id }) => index.fields.get(id)!) });
  };
  for (const section of index.content.sections) visit(section);
  known.set(index, holds);
  return holds;
};

/** The sections that must be signed before this one is answered, in document order; none for most contents. */
export const holdsBefore = (index: ContentIndex, sectionId: string): readonly Hold[] =>
  holdsOf(index).get(sectionId) ?? [];

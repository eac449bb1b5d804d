import { buildDocument } from '../../../shared/reports/document/build.ts';
import type {
  Block,
  DocumentItem,
  ItemTable,
  Paragraph,
  ReportDocument,
  Section,
} from '../../../shared/reports/document/document.ts';
import { wordsOf } from '../../../shared/reports/document/spans.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';

/** The document of a payload all of whose images can be shown. */
export const documentOf = (payload: ReportPayload, hash: string | null = 'ab'.repeat(32)): ReportDocument => {
  const facts = { width: 1600, height: 1200, takenAt: null, position: null };
  const images = new Map<string, typeof facts>();
  images.get = () => facts;
  return buildDocument(payload, { images, hash });
};

export const blockOf = <Kind extends Block['kind']>(
  document: ReportDocument,
  kind: Kind,
): Extract<Block, { kind: Kind }> => {
  const found = document.blocks.find((block) => block.kind === kind);
  if (!found) throw new Error(`no block ${kind}`);
  return found as Extract<Block, { kind: Kind }>;
};

export const words = (paragraphs: readonly Paragraph[]): string[] => paragraphs.map(wordsOf);

const isSection = (part: Section['parts'][number]): part is Section => 'level' in part;
const isTable = (part: Section['parts'][number]): part is ItemTable => 'rows' in part;

/** Every section of a document, nested ones included, in order. */
export const sectionsOf = (document: ReportDocument): Section[] => {
  const within = (section: Section): Section[] => [
    section,
    ...section.parts.filter(isSection).flatMap(within),
  ];
  return blockOf(document, 'sections').sections.flatMap(within);
};

export const itemsOf = ({ parts }: Section): DocumentItem[] =>
  parts.filter((part): part is DocumentItem => !isSection(part) && !isTable(part));

export const tablesOf = ({ parts }: Section): ItemTable[] => parts.filter(isTable);

/** Every anchor that a document defines, and every one that its links lead to. */
export const anchorsOf = (document: ReportDocument): { defined: string[]; wanted: string[] } => {
  const [defined, wanted]: [string[], string[]] = [[], []];
  const photos = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    else if (typeof part === 'object' && part !== null) {
      const { anchor, to, from, reference } = part as Record<string, unknown>;
      if (typeof anchor === 'string' && (typeof reference !== 'string' || !photos.has(anchor)))
        defined.push(anchor);
      if (typeof anchor === 'string' && typeof from === 'string') photos.add(anchor);
      for (const link of [to, from]) if (typeof link === 'string' && link !== '') wanted.push(link);
      Object.values(part).forEach(visit);
    }
  };
  visit(document);
  return { defined, wanted };
};

/** Every text of a document. */
export const textsOf = (document: ReportDocument): string[] => {
  const found: string[] = [];
  const visit = (part: unknown): void => {
    if (typeof part === 'string') found.push(part);
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(visit);
  };
  visit(document);
  return found;
};

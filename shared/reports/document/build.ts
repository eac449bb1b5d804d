import { directionOf } from '../../base/i18n/languages.ts';
import type { ReportBlock } from '../../schemas/reports/report-layout-content.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { mix, readable } from '../presentation/theme.ts';
import { type Context, contextOf, type DocumentFacts } from './context.ts';
import { documentCorrections, documentSignatures } from './corrections.ts';
import { closingOf, coverOf, mastheadOf, runningOf } from './cover.ts';
import type { Block, Heading, MediaBlock, ReportDocument } from './document.ts';
import { actionRows, findingCards } from './findings.ts';
import { comparisonOf, documentSections } from './sections.ts';
import { paragraphsOf } from './spans.ts';
import { scoreBlock, summaryBlock } from './summary.ts';

/** Photos side by side, unless the layout says otherwise. */
const PHOTO_COLUMNS = 3;

/** Photos on a page of the appendix, unless the layout says otherwise. */
const PHOTOS_PER_PAGE = 4;

/** How much white is in the light colour of areas. */
const TINT = 0.92;

/** A block under its heading; null where it has nothing to show. */
const blockOf = (context: Context, { kind, options }: ReportBlock, anchor: string): Block | null => {
  const { texts } = context;
  const heading = (text: string): Heading => ({ anchor, text: options.title ?? text });
  const photoColumns = options.photo_columns ?? PHOTO_COLUMNS;
  switch (kind) {
    case 'summary':
      return { heading: heading(texts.summary), ...summaryBlock(context) };
    case 'score': {
      const score = scoreBlock(context);
      return score && { heading: heading(texts.score), ...score };
    }
    case 'findings': {
      const findings = findingCards(context);
      const empty = findings.length === 0 ? texts.noFindings : null;
      return { kind, heading: heading(texts.findings), empty, photoColumns, findings };
    }
    case 'corrective_actions': {
      const rows = actionRows(context);
      const columns = [texts.number, texts.action, texts.concerns, texts.assignee, texts.due, texts.status];
      return rows.length > 0 ? { kind, heading: heading(texts.actions), columns, rows } : null;
    }
    case 'sections': {
      const sections = documentSections(context, options.before === true);
      const comparedWith = options.before ? comparisonOf(context) : null;
      return sections.length > 0
        ? { kind, heading: heading(texts.record), photoColumns, comparedWith, sections }
        : null;
    }
    case 'media':
      // Filled after all other blocks have shown their photos.
      return { kind, heading: heading(texts.photos), photoColumns, photos: [], elsewhere: [] };
    case 'signatures': {
      const signatures = documentSignatures(context);
      return signatures.length > 0 ? { kind, heading: heading(texts.signatures), signatures } : null;
    }
    case 'corrections': {
      const corrections = documentCorrections(context);
      const columns = [texts.question, texts.before, texts.after, texts.changedBy];
      return corrections.length > 0
        ? { kind, heading: heading(texts.corrections), columns, corrections }
        : null;
    }
    case 'text':
      return {
        kind,
        heading: options.title ? heading(options.title) : null,
        paragraphs: paragraphsOf(options.text ?? ''),
      };
  }
};

/** A gallery shows all photos, also those of the blocks after it. */
const withPhotos = (block: Block, { photos }: Context): Block[] => {
  if (block.kind !== 'media') return [block];
  return photos.all().length > 0 ? [{ ...block, ...photos.gallery() } satisfies MediaBlock] : [];
};

/**
 * The blocks in the order of the layout. A summary is made after all others, because photos have the numbers in which
 * the record shows them.
 */
const blocksOf = (context: Context): Block[] => {
  const { blocks } = context.payload.layout;
  const made = new Map<ReportBlock, Block | null>();
  const isSummary = ({ kind }: ReportBlock) => kind === 'summary';
  for (const block of [...blocks.filter((each) => !isSummary(each)), ...blocks.filter(isSummary)])
    made.set(block, blockOf(context, block, `block-${blocks.indexOf(block) + 1}`));
  return blocks.flatMap((block) => {
    const shown = made.get(block);
    const isSecondGallery = block.kind === 'media' && blocks.find(({ kind }) => kind === 'media') !== block;
    return shown && !isSecondGallery ? withPhotos(shown, context) : [];
  });
};

/** The blocks with their headings, and the outermost sections. */
const entriesOf = (
  blocks: readonly Block[],
  appendix: ReportDocument['appendix'],
): ReportDocument['contents']['entries'] => [
  ...blocks.flatMap((block) => [
    ...(block.heading ? [{ to: block.heading.anchor, text: block.heading.text, level: 1 as const }] : []),
    ...(block.kind === 'sections'
      ? block.sections.map(({ anchor, number, title }) => ({
          to: anchor,
          text: [number, title].filter(Boolean).join(' '),
          level: 2 as const,
        }))
      : []),
  ]),
  ...(appendix ? [{ to: appendix.heading.anchor, text: appendix.heading.text, level: 1 as const }] : []),
];

/**
 * Makes the document of a report from its payload: all in words of the report's language, numbered and in order, so
 * that every format says the same.
 * @param facts about its images, and the hash of the payload
 */
export const buildDocument = (payload: ReportPayload, facts: DocumentFacts): ReportDocument => {
  const { report, layout, organization } = payload;
  const context = contextOf(payload, facts);
  const { texts } = context;
  const cover = coverOf(context);
  const blocks = blocksOf(context);
  const photos = context.photos.all();
  const hasGallery = blocks.some(({ kind }) => kind === 'media');
  const appendix =
    photos.length > 0 && !hasGallery
      ? {
          heading: { anchor: 'photos', text: texts.photos },
          perPage: layout.photos_per_page ?? PHOTOS_PER_PAGE,
          ...context.photos.gallery(),
        }
      : null;
  return {
    language: report.language,
    direction: directionOf(report.language),
    title: report.title,
    subject: texts.kind,
    author: organization.name,
    generatedAt: report.generated_at,
    page: { size: layout.page_size, orientation: layout.orientation },
    color: readable(layout.theme.primary_color),
    tint: mix(layout.theme.primary_color, '#ffffff', TINT),
    draft: report.is_draft ? texts.draft : null,
    running: runningOf(context),
    contents: { heading: texts.contents, entries: entriesOf(blocks, appendix) },
    cover,
    masthead: mastheadOf(context),
    blocks,
    photos,
    appendix,
    closing: closingOf(context),
  };
};

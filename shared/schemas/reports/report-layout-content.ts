import * as z from 'zod';
import { isBlank } from '../../base/text.ts';
import { LanguageTag } from '../common.ts';

export const HexColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/)
  .meta({ id: 'HexColor', description: 'A colour as #rrggbb.' });

export const ReportBlockKind = z
  .enum([
    'summary',
    'score',
    'findings',
    'corrective_actions',
    'sections',
    'media',
    'signatures',
    'corrections',
    'text',
  ])
  .meta({
    id: 'ReportBlockKind',
    description:
      'The kind of content that a block of a report shows. `media` shows all photos together, `corrections` lists what was changed after completion.',
  });

export const ReportBlock = z
  .strictObject({
    kind: ReportBlockKind,
    options: z
      .strictObject({
        title: z
          .string()
          .max(200)
          .optional()
          .meta({ description: "The block's heading; the usual one when left out." }),
        text: z
          .string()
          .max(10_000)
          .optional()
          .meta({ description: 'The text of a `text` block, which requires it.' }),
        photo_columns: z
          .int()
          .min(2)
          .max(4)
          .optional()
          .meta({ description: 'The number of photos side by side.' }),
        before: z.boolean().optional().meta({
          description:
            'Whether a `sections` block shows, beside each answer, that of the inspection which this one was started from (`prefill_from_inspection_id`), with its note and photos. Without such an inspection it shows none. In a report of a re-inspection, the first inspection is that one, and it is shown unless this is false.',
        }),
      })
      .prefault({})
      .meta({ id: 'ReportBlockOptions', description: 'How a block is drawn. Every option has a default.' }),
  })
  .check(({ value: { kind, options }, issues }) => {
    if (kind === 'text' && isBlank(options.text ?? '')) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['options', 'text'] });
    }
  })
  .meta({
    id: 'ReportBlock',
    description: 'A part of a report. Blocks appear in the order of the list.',
  });
export type ReportBlock = z.infer<typeof ReportBlock>;

/** Whether the colour is that of the client. */
export const ClientColor = z.boolean().optional().meta({
  description:
    'Whether the brand colour of the client account (`brand_primary`) takes the place of `primary_color` where it has one; false when left out. A colour that is too light to be read on white is darkened.',
});

export const ReportTheme = z
  .strictObject({
    primary_color: HexColor,
    client_color: ClientColor,
    logo: z.string().nullable().meta({
      description: "A document id or a storage key; null for the organization's logo.",
    }),
  })
  .meta({ id: 'ReportTheme', description: "A report's colour and logo." });

export const ReportInclude = z
  .strictObject({
    unanswered: z.boolean(),
    na: z.boolean(),
    notes: z.boolean(),
    media: z.boolean(),
    answered_by: z.boolean().meta({ description: 'Whether the report says who answered, and when.' }),
  })
  .meta({ id: 'ReportInclude', description: 'Which answers, and which parts of an answer, are shown.' });
export type ReportInclude = z.infer<typeof ReportInclude>;

/** Blocks of one layout. */
const MAX_BLOCKS = 20;
/**
 * Characters of all texts of one layout. One transaction of 4 MB must hold all layouts of a family and the content of
 * a version.
 */
const MAX_LAYOUT_TEXT = 30_000;

const ReportBlocks = z
  .array(ReportBlock)
  .max(MAX_BLOCKS)
  .check(({ value: blocks, issues }) => {
    const length = blocks.reduce((sum, { options }) => sum + (options.text?.length ?? 0), 0);
    if (length > MAX_LAYOUT_TEXT) {
      const message = `Value error, all texts together have ${length} characters, the maximum is ${MAX_LAYOUT_TEXT}`;
      issues.push({ code: 'custom', message, input: length, path: [] });
    }
  });

export const ReportLayoutContent = z
  .strictObject({
    page_size: z.enum(['A4', 'Letter']),
    orientation: z.enum(['portrait', 'landscape']),
    cover: z.boolean().meta({ description: 'Whether the report begins with a cover page.' }),
    theme: ReportTheme,
    blocks: ReportBlocks,
    include: ReportInclude,
    photos_per_page: z
      .union([z.literal(4), z.literal(6)])
      .optional()
      .meta({
        description:
          'How many photos a page of the appendix holds; 4 when left out. A `media` block takes the place of the appendix.',
      }),
    language: LanguageTag.nullable().meta({
      description: "The language of the reports; null for that of the organization's locale.",
    }),
  })
  .meta({ id: 'ReportLayoutContent', description: 'How a report looks and what it contains.' });
export type ReportLayoutContent = z.infer<typeof ReportLayoutContent>;

/** The standard layout, for template families without a layout of their own. It shows everything. */
export const DEFAULT_LAYOUT: ReportLayoutContent = {
  page_size: 'A4',
  orientation: 'portrait',
  cover: true,
  theme: { primary_color: '#1f4e79', logo: null },
  blocks: [
    { kind: 'summary', options: {} },
    { kind: 'score', options: {} },
    { kind: 'findings', options: {} },
    { kind: 'corrective_actions', options: {} },
    { kind: 'sections', options: {} },
    { kind: 'signatures', options: {} },
    { kind: 'corrections', options: {} },
  ],
  include: { unanswered: true, na: true, notes: true, media: true, answered_by: true },
  language: null,
};

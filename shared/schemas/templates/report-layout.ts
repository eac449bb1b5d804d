import * as z from 'zod';
import { merge } from '../../base/merge.ts';
import { ExpectedVersion, Name, resourceFields, Uuid } from '../common.ts';
import { DEFAULT_LAYOUT, HexColor, ReportInclude, ReportLayoutContent } from '../reports/report-payload.ts';

const LayoutTheme = z
  .strictObject({
    primary_color: HexColor,
    logo: Uuid.nullable().meta({
      description:
        "A document that is a picture (PNG, JPEG, WebP, GIF, TIFF or AVIF); null takes the organization's logo.",
    }),
  })
  .meta({ id: 'ReportLayoutTheme', description: "A report's colour and logo." });

const EmailTemplate = z
  .strictObject({ subject: Name.nullable(), body: z.string().max(10_000).nullable() })
  .meta({
    id: 'ReportEmailTemplate',
    description: 'What an e-mail says that brings such a report; null is the usual text.',
  });

const fields = {
  name: Name.meta({ description: 'Unique in the family, whatever its case.' }),
  is_default: z.boolean().meta({
    description:
      'Whether reports take it where no other is asked for: it is `settings.default_layout_id` of its family.',
  }),
  email_template: EmailTemplate,
};

export const ReportLayout = z
  .strictObject({
    ...resourceFields,
    family_id: Uuid,
    ...fields,
    ...ReportLayoutContent.shape,
    theme: LayoutTheme,
    version: z.int().min(1),
  })
  .meta({ id: 'ReportLayout', description: 'How reports of a template family look and what they contain.' });
export type ReportLayout = z.output<typeof ReportLayout>;

const changes = {
  ...ReportLayoutContent.partial().shape,
  theme: LayoutTheme.partial().optional(),
  include: ReportInclude.partial().optional(),
};

/** A layout's content as it is asked for: what is left out is as in the standard layout. */
export const GivenLayoutContent = z
  .strictObject(changes)
  .meta({ id: 'GivenReportLayoutContent', description: 'What is left out is as in the standard layout.' });
export type GivenLayoutContent = z.output<typeof GivenLayoutContent>;

/** A layout's content, whole. */
export const wholeLayout = (given: GivenLayoutContent): ReportLayoutContent => merge(DEFAULT_LAYOUT, given);

export const NewReportLayout = z
  .strictObject({
    ...changes,
    name: fields.name,
    is_default: fields.is_default.default(false),
    email_template: EmailTemplate.partial().default({}),
  })
  .meta({ id: 'NewReportLayout', description: 'What is left out is as in the standard layout.' });
export type NewReportLayout = z.output<typeof NewReportLayout>;

export const ReportLayoutChanges = z
  .strictObject({
    ...fields,
    email_template: EmailTemplate.partial(),
    expected_version: ExpectedVersion,
  })
  .partial()
  .extend(changes)
  .meta({ id: 'ReportLayoutChanges' });
export type ReportLayoutChanges = Omit<z.output<typeof ReportLayoutChanges>, 'expected_version'>;

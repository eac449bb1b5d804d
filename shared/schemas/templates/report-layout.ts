import * as z from 'zod';
import { merge } from '../../base/fields.ts';
import { ExpectedVersion, Name, resourceFields, resourceVersion, Uuid } from '../common.ts';
import { EmailBody, EmailSubject } from '../reports/placeholders.ts';
import {
  ClientColor,
  DEFAULT_LAYOUT,
  HexColor,
  ReportInclude,
  ReportLayoutContent,
} from '../reports/report-layout-content.ts';

const LayoutTheme = z
  .strictObject({
    primary_color: HexColor,
    client_color: ClientColor,
    logo: Uuid.nullable().meta({
      description:
        "The id of a document that is an image (PNG, JPEG, WebP, GIF, TIFF or AVIF); null for the organization's logo.",
    }),
  })
  .meta({ id: 'ReportLayoutTheme', description: "A report's colour and logo." });

const EmailTemplate = z.strictObject({ subject: EmailSubject.nullable(), body: EmailBody.nullable() }).meta({
  id: 'ReportEmailTemplate',
  description: 'Subject and body of an email with such a report; null for the usual text.',
});

const fields = {
  name: Name.meta({ description: 'Unique in the family; case is ignored.' }),
  is_default: z.boolean().meta({
    description:
      'Whether reports use this layout by default. It is then the `settings.default_layout_id` of the family.',
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
    version: resourceVersion(),
  })
  .meta({ id: 'ReportLayout', description: 'How reports of a template family look and what they contain.' });
export type ReportLayout = z.output<typeof ReportLayout>;

const changes = {
  ...ReportLayoutContent.partial().shape,
  theme: LayoutTheme.partial().optional(),
  include: ReportInclude.partial().optional(),
};

export const GivenLayoutContent = z.strictObject(changes).meta({
  id: 'GivenReportLayoutContent',
  description: 'The content of a layout. Whatever is left out is as in the standard layout.',
});
export type GivenLayoutContent = z.output<typeof GivenLayoutContent>;

/** A layout's content, completed from the standard layout. */
export const wholeLayout = (given: GivenLayoutContent): ReportLayoutContent => merge(DEFAULT_LAYOUT, given);

export const NewReportLayout = z
  .strictObject({
    ...changes,
    name: fields.name,
    is_default: fields.is_default.default(false),
    email_template: EmailTemplate.partial().default({}),
  })
  .meta({ id: 'NewReportLayout', description: 'Whatever is left out is as in the standard layout.' });
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

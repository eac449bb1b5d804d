import * as z from 'zod';
import { listQuery, Name, Text, Uuid } from '../common.ts';
import { durationInDays } from '../recurrence.ts';
import { initially, once, resource } from '../resource.ts';

/** Days of the longest validity of a certificate. */
const MAX_DAYS_VALID = 3_720;

/** Reminders before a certificate expires. */
const MAX_REMINDERS = 5;

/** Days before its end that the first reminder comes, at most. */
const MAX_DAYS_AHEAD = 366;

const CertificateLayout = z
  .strictObject({
    page_size: z.enum(['A4', 'Letter']).default('A4').meta({ description: 'The size of the page.' }),
    orientation: z
      .enum(['portrait', 'landscape'])
      .default('portrait')
      .meta({ description: 'Which side of the page is up.' }),
    color: z
      .string()
      .regex(/^#[\da-f]{6}$/i)
      .default('#0b5d56')
      .meta({ description: 'The colour of lines and headings.', examples: ['#0b5d56'] }),
    statement: Text.max(1_000)
      .default('')
      .meta({
        description: 'What the page certifies, in the organization’s own words; empty for none.',
        examples: ['The lift meets EN 81-20 and may be used.'],
      }),
  })
  .meta({ id: 'CertificateLayout', description: 'How the page of a certificate looks.' });
export type CertificateLayout = z.output<typeof CertificateLayout>;

export const { CertificateKind, NewCertificateKind, CertificateKindChanges } = resource(
  'CertificateKind',
  {
    name: Name.meta({
      description:
        'The title of its certificates. Unique among the kinds of the organization; case is ignored.',
      examples: ['Lift safety certificate'],
    }),
    template_family_id: once(
      Uuid.meta({
        description:
          'The template family whose inspections issue it: each that names an asset or a location, is completed, and does not have the result `fail`.',
      }),
    ),
    series: once(
      z
        .string()
        .regex(/^[A-Z\d]{1,12}$/)
        .meta({
          description:
            'How its numbers begin, unique among the kinds of the organization: capital letters and digits. They count from 1, without gaps.',
          examples: ['LIFT'],
        }),
    ),
    valid_for: durationInDays(MAX_DAYS_VALID).meta({
      description:
        'An ISO 8601 duration of whole days or longer, from the day on which the inspection was handed in. Its last day is the one on which a schedule with the same `after.every` visits again. A change applies to later certificates.',
      examples: ['P12M'],
    }),
    remind_before: initially(
      ['P30D'],
      z
        .array(durationInDays(MAX_DAYS_AHEAD))
        .max(MAX_REMINDERS)
        .meta({
          description:
            'How long before the end of a certificate it is reminded of, with an event `certificate.expiring`. A change applies to later certificates.',
          examples: [['P60D', 'P14D']],
        }),
    ),
    layout: initially(
      { page_size: 'A4', orientation: 'portrait', color: '#0b5d56', statement: '' },
      CertificateLayout,
    ),
    is_active: initially(
      true,
      z.boolean().meta({ description: 'Whether inspections that are completed from now on issue it.' }),
    ),
  },
  { description: 'A kind of certificates, and which inspections issue them.' },
);
export type CertificateKind = z.output<typeof CertificateKind>;
export type NewCertificateKind = z.output<typeof NewCertificateKind>;
export type CertificateKindChanges = Omit<z.output<typeof CertificateKindChanges>, 'expected_version'>;

export const certificateKindQuery = listQuery({});
export type CertificateKindQuery = z.output<typeof certificateKindQuery>;

import * as z from 'zod';
import { Timestamp, Uuid } from '../common.ts';

export const ReportPosition = z
  .strictObject({
    lat: z.number(),
    lng: z.number(),
    accuracy_m: z
      .number()
      .nullable()
      .meta({ description: 'How far the position may be off, in metres; null when unknown.' }),
  })
  .meta({ id: 'ReportPosition', description: 'A position in degrees (WGS 84).' });
export type ReportPosition = z.output<typeof ReportPosition>;

export const ReportAddress = z
  .strictObject({
    lines: z.array(z.string()).meta({
      description:
        'Building, street and everything else before the city. Of an address that is stored as one text, all of its lines.',
    }),
    city: z.string(),
    region: z.string(),
    postal_code: z.string(),
    country: z.string().meta({
      description: 'By ISO 3166-1 alpha-2; empty when unknown. The country decides the order of the parts.',
    }),
  })
  .meta({ id: 'ReportAddress', description: 'A postal address. Parts that are unknown are empty.' });
export type ReportAddress = z.output<typeof ReportAddress>;

export const ReportOption = z
  .strictObject({
    value: z.string(),
    label: z.string(),
    color: z.string().nullable().meta({ description: 'The colour, as `#rrggbb`.' }),
    is_failed: z.boolean(),
    is_na: z.boolean(),
  })
  .meta({
    id: 'ReportOption',
    description: 'A chosen option, with its label in the language of the report.',
  });
export type ReportOption = z.output<typeof ReportOption>;

const Named = {
  id: z.string(),
  name: z.string().nullable().meta({ description: 'Null when it was deleted.' }),
};

/** An answer in a report. Each kind has the data that a program needs to write it as a person would. */
export const ReportAnswer = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('text'), text: z.string() }),
    z.strictObject({
      kind: z.literal('number'),
      number: z.number(),
      unit: z.string().nullable(),
      of: z
        .number()
        .nullable()
        .meta({ description: 'The highest value of a rating ("4 of 5"); null for other numbers.' }),
    }),
    z.strictObject({ kind: z.literal('yes_no'), yes: z.boolean() }),
    z.strictObject({ kind: z.literal('options'), options: z.array(ReportOption) }),
    z.strictObject({
      kind: z.literal('date'),
      date: z.string().meta({ description: 'The date: `YYYY-MM-DD`.' }),
    }),
    z.strictObject({
      kind: z.literal('time'),
      time: z.string().meta({ description: 'The time: `HH:MM` or `HH:MM:SS`.' }),
    }),
    z.strictObject({
      kind: z.literal('datetime'),
      at: z.string().meta({ description: 'The date and time (RFC 3339).' }),
    }),
    z.strictObject({
      kind: z.literal('media'),
      document_ids: z.array(Uuid).meta({ description: 'Their files are in the `media` of the field.' }),
    }),
    z.strictObject({
      kind: z.literal('signature'),
      signed_name: z.string(),
      signed_at: Timestamp.nullable(),
      document_id: z.string().nullable().meta({ description: 'The image of a drawn signature.' }),
      typed: z.string().nullable().meta({ description: 'The text of a typed signature.' }),
    }),
    z.strictObject({ kind: z.literal('position'), position: ReportPosition }),
    z.strictObject({ kind: z.literal('address'), address: ReportAddress }),
    z.strictObject({ kind: z.literal('member'), ...Named }),
    z.strictObject({ kind: z.literal('client_account'), ...Named }),
    z.strictObject({
      kind: z.literal('location'),
      ...Named,
      address: ReportAddress.nullable(),
      position: ReportPosition.nullable(),
    }),
    z.strictObject({
      kind: z.literal('reference'),
      label: z.string(),
      source_id: z.string(),
      external_id: z.string(),
    }),
  ])
  .meta({ id: 'ReportAnswer', description: 'An answer as a typed value; `kind` says which.' });
export type ReportAnswer = z.output<typeof ReportAnswer>;

export const ReportInstance = z
  .strictObject({
    section_id: z.string(),
    section_title: z.string(),
    label: ReportAnswer.nullable().meta({
      description: 'The answer that names the instance; null when there is none.',
    }),
    position: z
      .int()
      .min(1)
      .meta({ description: 'The position among the instances of the section, from 1.' }),
  })
  .meta({ id: 'ReportInstance', description: 'An instance of a repeat section.' });
export type ReportInstance = z.output<typeof ReportInstance>;

const Instances = z
  .array(ReportInstance)
  .meta({ description: 'The instances of the repeat sections around it, outermost first.' });

/** The position of a question. */
export const questionPlace = {
  section_id: z.string().nullable().meta({ description: 'Null for a start field, and where there is none.' }),
  section_title: z.string().nullable(),
  field_id: z.string().nullable().meta({ description: 'The key of a start field.' }),
  field_number: z
    .string()
    .nullable()
    .meta({ description: 'The number that the question brings in its label, such as "4.2".' }),
  field_label: z.string().nullable().meta({ description: 'The label without that number.' }),
  instance_path: z.string().meta({ description: 'As in answers; empty outside repeat sections.' }),
  instances: Instances,
};

export const ReportMedia = z
  .strictObject({
    document_id: z.uuid(),
    caption: z.string(),
    file_name: z.string().nullable().meta({ description: 'Null when the document was deleted.' }),
    mime_type: z.string(),
    size_bytes: z.int().min(0),
  })
  .meta({
    id: 'ReportMedia',
    description: 'A photo or another file. The renderer loads photos by `document_id`.',
  });
export type ReportMedia = z.output<typeof ReportMedia>;

const ReportBefore = z
  .strictObject({
    answer: ReportAnswer.nullable().meta({ description: 'Null when there was none.' }),
    is_failed: z.boolean(),
    is_na: z.boolean(),
    note: z.string(),
    media: z.array(ReportMedia),
  })
  .meta({
    id: 'ReportBefore',
    description:
      'How the earlier inspection answered the same question, with the texts of its own template version.',
  });
export type ReportBefore = z.output<typeof ReportBefore>;

export const ReportField = z
  .strictObject({
    id: z.string().meta({ description: 'A UUID; of a start field, its key.' }),
    type: z.string().meta({ description: "The field's type in the template. An instruction has no answer." }),
    number: questionPlace.field_number,
    label: z.string().meta({ description: 'The label without that number.' }),
    help: z.string().nullable(),
    instance_path: questionPlace.instance_path,
    answer: ReportAnswer.nullable().meta({ description: 'Null when there is none.' }),
    value: z.unknown().optional().meta({
      description:
        'The answer’s `value` of `GET …/responses`. Only of choices, signatures and addresses, because `answer` has not all of it: an option that was removed from its list, the offset of a time, which line is `line2`. Reports made before this was kept do not have it.',
    }),
    is_failed: z.boolean(),
    is_na: z.boolean(),
    is_critical: z.boolean().meta({ description: 'Whether a failed answer fails the inspection.' }),
    note: z.string(),
    media: z.array(ReportMedia),
    answered_at: Timestamp.nullable(),
    client_answered_at: Timestamp.nullable().meta({
      description: 'As in the answer. Documents show this time instead of `answered_at` where it is known.',
    }),
    answered_by_name: z.string().nullable(),
    is_carried_over: z.literal(true).optional().meta({
      description: 'Only of an answer that a re-inspection has taken over from the first inspection.',
    }),
    before: ReportBefore.optional().meta({
      description:
        'Only in a report that compares; absent where the earlier inspection did not ask the question.',
    }),
  })
  .meta({ id: 'ReportField', description: 'A question with its answer.' });
export type ReportField = z.output<typeof ReportField>;

export const ReportSection = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    fields: z.array(ReportField),
    get sections() {
      return z.array(ReportSection);
    },
    get instances() {
      return z.array(ReportSectionInstance).nullable().meta({
        description:
          'The instances of a repeat section, which hold its fields and sections; null for other sections.',
      });
    },
  })
  .meta({ id: 'ReportSection', description: 'A section with what no condition hides.' });
export type ReportSection = z.output<typeof ReportSection>;

const ReportSectionInstance = z
  .strictObject({
    label: ReportInstance.shape.label,
    position: ReportInstance.shape.position,
    instance_path: z.string(),
    fields: z.array(ReportField),
    get sections() {
      return z.array(ReportSection);
    },
  })
  .meta({ id: 'ReportSectionInstance', description: 'One instance of a repeat section.' });
export type ReportSectionInstance = z.output<typeof ReportSectionInstance>;

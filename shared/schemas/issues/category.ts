import * as z from 'zod';
import { LanguageTag, listQuery, Name, NullableText, Title, Uuid } from '../common.ts';
import { derived, initially, optional, resource, shownAs } from '../resource.ts';
import type { FieldType } from '../templates/content.ts';

/** Questions of one category: a stranger answers them on a phone in a minute. */
export const MAX_QUESTIONS = 20;

/** Options of one question. */
const MAX_OPTIONS = 100;

/** The longest time in which an issue can be due, in hours: a year. */
const MAX_SLA_HOURS = 8_784;

export const IssuePriority = z.enum(['none', 'low', 'medium', 'high', 'critical']);
export type IssuePriority = z.output<typeof IssuePriority>;

export const QuestionType = z.enum([
  'text',
  'long_text',
  'single_select',
  'multi_select',
  'yes_no',
  'number',
  'date',
  'photo',
] satisfies FieldType[]);

const OptionValue = z.string().min(1).max(200);

const Option = z.strictObject({ value: OptionValue, label: Title });

/** What every question has beside its id. */
export const questionFields = {
  type: QuestionType,
  label: Title,
  required: z.boolean().default(false),
  options: z
    .array(Option)
    .max(MAX_OPTIONS)
    .nullable()
    .default(null)
    .meta({ description: 'The choices of a single_select or multi_select; null for all other types.' }),
};

export const IssueQuestion = z
  .strictObject({ id: Uuid, ...questionFields })
  .meta({ id: 'IssueQuestion', description: 'A question to whoever reports an issue.' });
export type IssueQuestion = z.output<typeof IssueQuestion>;

const NewQuestion = z
  .strictObject({
    id: Uuid.optional().meta({
      description:
        'Keep it when you change a question that has one, so that its answers still belong to it. A new one when left out.',
    }),
    ...questionFields,
  })
  .meta({ id: 'NewIssueQuestion' });

const translation = {
  language: LanguageTag,
  name: Name.nullable().default(null),
  questions: z
    .array(
      z.strictObject({
        id: Uuid,
        label: Title.nullable().default(null),
        options: z.array(Option).max(MAX_OPTIONS).default([]),
      }),
    )
    .max(MAX_QUESTIONS)
    .default([]),
};

const Translation = z.strictObject({ ...translation, description: z.string().nullable() }).meta({
  id: 'IssueCategoryTranslation',
  description:
    'The texts of a category in another language. Texts that are not translated are shown as the category has them.',
});
export type CategoryTranslation = z.output<typeof Translation>;

const NewTranslation = z
  .strictObject({ ...translation, description: NullableText.default(null) })
  .meta({ id: 'NewIssueCategoryTranslation' });

const NewTranslations = z.array(NewTranslation).max(LanguageTag.options.length);

export const { IssueCategory, NewIssueCategory, IssueCategoryChanges } = resource(
  'IssueCategory',
  {
    name: Name.meta({ description: 'Unique among the categories of the organization; case is ignored.' }),
    description: shownAs(z.string().nullable(), optional(NullableText)),
    color: optional(
      z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/)
        .nullable(),
    ),
    questions: shownAs(z.array(IssueQuestion), initially([], z.array(NewQuestion).max(MAX_QUESTIONS))),
    default_assignee_id: optional(
      Uuid.nullable().meta({
        description:
          'The user id of the active member who gets each new issue of the category that nobody else is assigned to.',
      }),
    ),
    default_priority: initially('none', IssuePriority),
    sla_hours: optional(
      z.int().min(1).max(MAX_SLA_HOURS).nullable().meta({
        description: 'How many hours after it was reported an issue is due; null for no due time.',
      }),
    ),
    translations: shownAs(z.array(Translation), initially([], NewTranslations)),
    is_active: initially(
      true,
      z
        .boolean()
        .meta({ description: 'An inactive category takes no new issues, and its public links do not work.' }),
    ),
    ...derived({ created_by: Uuid }),
  },
  { description: 'A kind of issue, and what is asked of those who report one.' },
);
export type IssueCategory = z.output<typeof IssueCategory>;
export type NewIssueCategory = z.output<typeof NewIssueCategory>;
export type IssueCategoryChanges = Omit<z.output<typeof IssueCategoryChanges>, 'expected_version'>;

export const issueCategoryQuery = listQuery({ is_active: z.boolean().optional() });
export type IssueCategoryQuery = z.output<typeof issueCategoryQuery>;

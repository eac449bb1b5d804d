import type {
  ReportField,
  ReportSection,
  ReportSectionInstance,
} from '../../schemas/reports/report-answer.ts';
import type { Context } from './context.ts';
import type { DocumentItem, ItemTable, Section } from './document.ts';
import { answeredBy, findingsByItem, type FindingsOf, itemOf, tableOf } from './items.ts';
import { includedFields, includedSections, numbersOf, titleOf, isTable } from './layout.ts';
import { inWords, paragraphsOf } from './spans.ts';
import { instanceTitle } from './words.ts';

type Content = Pick<ReportSection, 'fields' | 'sections'>;

const fieldsWithin = ({ fields, sections }: Content): ReportField[] => [
  ...fields,
  ...sections.flatMap((section) => (section.instances ?? [section]).flatMap(fieldsWithin)),
];

/** "12 items · 1 failed"; instructions do not count. */
const countsText = ({ texts, count }: Context, fields: readonly ReportField[]): string => {
  const items = fields.filter(({ type }) => type !== 'instruction');
  const failed = items.filter(({ is_failed }) => is_failed).length;
  return [count(texts.items, items.length), ...(failed > 0 ? [count(texts.failedCount, failed)] : [])].join(
    ' · ',
  );
};

/** Makes the sections of one document. */
class SectionWriter {
  readonly #context: Context;
  readonly #findingsOf: FindingsOf;

  constructor(context: Context) {
    this.#context = context;
    this.#findingsOf = findingsByItem(context);
  }

  /** The fields as items. @param around the number of their section; null where it has none */
  #items(
    fields: readonly ReportField[],
    around: string | null,
  ): { items: DocumentItem[]; sentence: string | null } {
    const by = answeredBy(this.#context, fields);
    const asked = fields.filter(({ type }) => type !== 'instruction');
    const numbers = numbersOf(
      asked.map(({ number }) => number),
      around,
    );
    const numberOf = new Map(asked.map((field, n) => [field, numbers[n]!]));
    return {
      sentence: by.sentence,
      items: fields.map((field) =>
        itemOf(this.#context, field, numberOf.get(field) ?? '', by.of(field), this.#findingsOf),
      ),
    };
  }

  /** What stands in a section, or in an instance of one. */
  #content(
    { fields, sections }: Content,
    path: string,
    number: string | null,
    level: number,
  ): Pick<Section, 'counts' | 'answeredBy' | 'parts'> {
    const { items, sentence } = this.#items(fields, number);
    const asked = fields.filter(({ type }) => type !== 'instruction').length;
    return {
      counts: countsText(this.#context, fieldsWithin({ fields, sections })),
      answeredBy: sentence,
      parts: [...items, ...this.sections(sections, path, number, level + 1, asked + 1)],
    };
  }

  #instance(
    instance: ReportSectionInstance,
    section: ReportSection,
    title: string,
    number: string | null,
    level: number,
  ): Section {
    const name = instanceTitle(this.#context, instance);
    // A number alone names nothing.
    const shown = instance.label === null ? `${title} ${name}` : name;
    return {
      anchor: this.#context.anchors.section(section.id, instance.instance_path)!,
      number: '',
      title: shown,
      continued: inWords(this.#context.texts.continued, { title: shown }),
      level,
      description: [],
      ...this.#content(instance, instance.instance_path, number, level),
    };
  }

  #repeat(
    section: ReportSection & { instances: ReportSectionInstance[] },
    title: string,
    path: string,
    number: string | null,
    level: number,
  ): Pick<Section, 'counts' | 'answeredBy' | 'parts'> {
    const fields = section.instances.flatMap(fieldsWithin);
    const counts = countsText(this.#context, fields);
    if (!isTable(section, path, this.#context.payload.layout)) {
      const parts = section.instances.map((each) => this.#instance(each, section, title, number, level + 1));
      return { counts, answeredBy: null, parts };
    }
    const by = answeredBy(this.#context, fields);
    const table: ItemTable = tableOf(this.#context, section, title, by, this.#findingsOf);
    return { counts, answeredBy: by.sentence, parts: [table] };
  }

  /**
   * Sections with their numbers.
   * @param path the instance around them
   * @param first the number of the first one below `around`
   */
  sections(
    sections: readonly ReportSection[],
    path: string,
    around: string | null,
    level: number,
    first: number,
  ): Section[] {
    const titles = sections.map(titleOf);
    const numbers = numbersOf(
      titles.map(({ number }) => number),
      around,
      first,
    );
    return sections.map((section, n) => {
      const [title, number] = [titles[n]!.label, numbers[n]!];
      const { instances } = section;
      return {
        anchor: this.#context.anchors.section(section.id, path)!,
        number,
        title,
        continued: null,
        level,
        description: paragraphsOf(section.description),
        ...(instances === null
          ? this.#content(section, path, number || null, level)
          : this.#repeat({ ...section, instances }, title, path, number || null, level)),
      };
    });
  }

  /** The start answers, which have no numbers. */
  details(fields: readonly ReportField[]): Section[] {
    if (fields.length === 0) return [];
    const { items, sentence } = this.#items(fields, null);
    return [
      {
        anchor: 'details',
        number: '',
        title: this.#context.texts.details,
        continued: null,
        level: 1,
        description: [],
        counts: '',
        answeredBy: sentence,
        parts: items,
      },
    ];
  }
}

type Fields = { fields: ReportField[]; sections: ReportSection[] };

/** Sections without the answers of an earlier inspection. */
const withoutBefore = <Part extends Fields>(part: Part): Part => ({
  ...part,
  fields: part.fields.map(({ before: _before, ...field }) => field),
  sections: part.sections.map((section) => ({
    ...withoutBefore(section),
    instances: section.instances && section.instances.map(withoutBefore),
  })),
});

/** "Before: No. 12 · Move-in · 3 March 2027", for what a report compares with; null for none. */
export const comparisonOf = ({ texts, formats, payload }: Context): string | null => {
  const { compared_with: earlier } = payload;
  if (!earlier) return null;
  const { number, name, completed_at } = earlier;
  const what = [
    inWords(texts.numbered, { n: String(number) }),
    name,
    completed_at ? formats.date(completed_at) : '',
  ];
  return `${texts.before}: ${what.filter(Boolean).join(' · ')}`;
};

/**
 * The inspection's details, and every section with what the layout includes.
 * @param isCompared whether the answers of an earlier inspection stand beside these
 */
export const documentSections = (context: Context, isCompared: boolean): Section[] => {
  const { start, layout } = context.payload;
  const sections = isCompared
    ? context.payload.sections
    : withoutBefore({ fields: [], sections: context.payload.sections }).sections;
  const writer = new SectionWriter(context);
  return [
    ...writer.details(includedFields(start, layout.include)),
    ...writer.sections(includedSections(sections, layout.include), '', '', 1, 1),
  ];
};

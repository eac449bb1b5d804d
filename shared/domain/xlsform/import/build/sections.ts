import type { Condition, Field, Section, StartField } from '../../../../schemas/templates/content.ts';
import { MAX_SECTION_DEPTH } from '../../../content/limits.ts';
import type { ConvertedForm, Item } from '../convert/convert.ts';
import { idOf } from '../convert/ids.ts';
import { type Converted, emptySection } from '../convert/parts.ts';
import { MAX_TITLE_LENGTH, type Texts } from '../convert/texts.ts';
import type { Node } from '../read/tree.ts';

/** The sections and start fields of a content, with the rows and translations that the next steps need. */
export interface Arrangement {
  start: StartField[];
  sections: Section[];
  /** The row of each part, by the part itself. */
  sources: Map<object, Node>;
  /** The texts of each part in other languages, by id or key. */
  translations: Map<string, ReadonlyMap<string, Texts>>;
}

interface Arranging extends Arrangement {
  form: ConvertedForm;
  /** The section for the calculated fields that the conditions of top-level sections and of start fields use. */
  logic: Section | undefined;
  /** The ids of the calculated fields that are in the content already. */
  helperIds: Set<string>;
}

/** Where the items of a group go. */
interface Destination {
  /** The section around them; undefined for the form itself. */
  section: Section | undefined;
  depth: number;
  /** The list to which sections among the items are added. */
  sections: Section[];
  /** The condition of the dissolved groups around the items. */
  visibleIf: Condition | null;
}

const bothOf = (outer: Condition | null, inner: Condition | null): Condition | null =>
  outer && inner ? { all: [outer, inner] } : (outer ?? inner);

/** The fields of the section `logic`. It is never hidden, so its results do not depend on the sections beside it. */
const logicFields = (arranging: Arranging): Field[] => {
  arranging.logic ??= emptySection(idOf(arranging.form, 'logic', ''), 'Conditions');
  return arranging.logic.fields;
};

/** Records the row and the translations of a part, and adds the calculated fields of its conditions to `host`. */
const place = <Part extends object>(
  arranging: Arranging,
  id: string,
  { part, node, translations, helpers }: Converted<Part>,
  host: () => Field[],
): void => {
  arranging.sources.set(part, node);
  arranging.translations.set(id, translations);
  if (!helpers?.length) return;
  const fields = host();
  for (const helper of helpers) {
    if (arranging.helperIds.has(helper.id)) continue;
    arranging.helperIds.add(helper.id);
    fields.push(helper);
  }
};

/** A further section with the texts of the one around it, for fields that come after an inner section. */
const continuation = (
  { form, translations }: Arranging,
  path: string,
  { section, sections }: Destination,
): Section => {
  const id = idOf(form, 'section', `${path}#${sections.length}`);
  const titles = [...(translations.get(section?.id ?? '') ?? [])];
  translations.set(id, new Map(titles.map(([language, { title }]) => [language, { title, text: null }])));
  const further = emptySection(id, section?.title ?? form.title.slice(0, MAX_TITLE_LENGTH));
  sections.push(further);
  return further;
};

/**
 * Puts the items of a group into a section. In a section all fields come before all sections. To keep the order of the
 * form, fields that come after an inner section go to a further section.
 */
const arrangeGroup = (
  arranging: Arranging,
  items: readonly Item[],
  path: string,
  destination: Destination,
): void => {
  const { section, depth, sections, visibleIf } = destination;
  let further: Section | undefined;
  const fields = (): Field[] => {
    if (section && (section.sections.length === 0 || depth === MAX_SECTION_DEPTH)) return section.fields;
    further ??= continuation(arranging, path, destination);
    return further.fields;
  };
  const aroundSections = () => section?.fields ?? logicFields(arranging);
  for (const item of items) {
    switch (item.as) {
      case 'start':
        place(arranging, item.part.key, item, () => logicFields(arranging));
        arranging.start.push(item.part);
        break;
      case 'field': {
        const into = fields();
        const part = visibleIf
          ? { ...item.part, visible_if: bothOf(visibleIf, item.part.visible_if) }
          : item.part;
        place(arranging, part.id, { ...item, part }, () => into);
        into.push(part);
        break;
      }
      case 'section':
        place(arranging, item.part.id, item, aroundSections);
        sections.push(item.part);
        further = undefined;
        arrangeGroup(arranging, item.items, item.node.path, {
          section: item.part,
          depth: depth + 1,
          sections: item.part.sections,
          visibleIf: null,
        });
        break;
      case 'dissolved':
        place(arranging, item.part.id, item, aroundSections);
        arrangeGroup(arranging, item.items, item.node.path, {
          ...destination,
          visibleIf: bothOf(visibleIf, item.part.visible_if),
        });
        break;
      case 'startGroup':
        arrangeGroup(arranging, item.items, item.node.path, destination);
        break;
    }
  }
};

/** Arranges the parts of a form as the sections and start fields of a content. */
export const arrange = (form: ConvertedForm): Arrangement => {
  const arranging: Arranging = {
    form,
    start: [],
    sections: [],
    sources: new Map(),
    translations: new Map(),
    logic: undefined,
    helperIds: new Set(),
  };
  const { start, sections, sources, translations } = arranging;
  arrangeGroup(arranging, form.items, form.root.path, {
    section: undefined,
    depth: 0,
    sections,
    visibleIf: null,
  });
  if (arranging.logic) sections.push(arranging.logic);
  return { start, sections, sources, translations };
};

import type { ResponseSet } from '../../../../schemas/templates/content.ts';
import type { ConvertedForm, Item } from '../convert/convert.ts';
import { isInline, type ListUse, listUse, responseSetOf, useKey } from '../convert/options.ts';
import { type ListedOption, MAX_OPTIONS } from '../read/choices.ts';

/** The response sets of a content, with the lists that they come from. */
export interface ResponseSets {
  sets: ResponseSet[];
  /** The names of the lists by the ids of their response sets. */
  listNames: Map<string, string>;
  /** The options of fields, start fields and response sets by id or key, with labels in other languages. */
  listed: Map<string, readonly ListedOption[]>;
}

/** All parts of a form that may have options, in the order of the survey. */
function* questionsIn(items: readonly Item[]): Generator<Item & { as: 'field' | 'start' }> {
  for (const item of items)
    if (item.as === 'field' || item.as === 'start') yield item;
    else yield* questionsIn(item.items);
}

/** The lists that no question uses. A list that is too long for a response set is left out, with a remark. */
const unusedLists = (form: ConvertedForm, known: ReadonlyMap<string, ListUse>): ListUse[] =>
  (['choices', 'external_choices'] as const).flatMap((source) =>
    [...form.lists[source].values()].flatMap((list) => {
      const use = { list, source, orOther: false };
      const isUsed = known.has(useKey(use)) || known.has(useKey({ ...use, orOther: true }));
      if (list.isOfType || isInline(form, list) || isUsed) return [];
      if (list.options.length <= MAX_OPTIONS) return [listUse(form, use)];
      const message = `the list "${list.name}" was left out, because it has more than ${MAX_OPTIONS} options and no question uses it`;
      form.log.lostInSheet(source, message);
      return [];
    }),
  );

/** Makes a response set of each list, in the order of the choices sheet; those of other sheets come last. */
export const buildResponseSets = (form: ConvertedForm): ResponseSets => {
  const listed = new Map<string, readonly ListedOption[]>();
  const uses = new Map<string, ListUse>();
  for (const { as, part, listed: own, use } of questionsIn(form.items)) {
    if (own) listed.set(as === 'start' ? part.key : part.id, own);
    if (use && !uses.has(useKey(use))) uses.set(useKey(use), use);
  }
  for (const use of unusedLists(form, uses)) uses.set(useKey(use), use);
  const listNames = new Map<string, string>();
  for (const { id, list } of uses.values()) {
    listed.set(id, list.options);
    listNames.set(id, list.name);
  }
  const order = new Map([...form.lists.choices.keys()].map((name, i) => [`choices/${name}`, i]));
  const positionOf = (key: string) => order.get(key) ?? Infinity;
  const sets = [...uses]
    .toSorted(([a], [b]) => positionOf(a) - positionOf(b) || 0)
    .map(([, use]) => responseSetOf(use));
  return { sets, listNames, listed };
};

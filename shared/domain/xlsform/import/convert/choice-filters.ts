import type { Field } from '../../../../schemas/templates/content.ts';
import { IN_CHOICE_FILTERS } from '../../../content/conditions/dependencies.ts';
import { columnsIn } from '../../expressions/expression.ts';
import { expressionIn } from '../../expressions/parse.ts';
import { hasOwn } from '../../form/own-columns.ts';
import { has, settle, take } from '../../form/table.ts';
import type { List } from '../read/choices.ts';
import type { Node } from '../read/tree.ts';
import { formulaOf } from './formulas.ts';
import { convertOrRemark, NotSupported } from './not-supported.ts';
import { type Conversion, placeOf, targetOf } from './outcomes.ts';
import { hasOwnValue } from './own-values.ts';
import { listOf } from './references.ts';

/** The longest value of an attribute, in characters (`ResponseOption.attributes`). */
const MAX_ATTRIBUTE_LENGTH = 200;

/** Why a column of a list cannot become an attribute of the list's options; undefined if it can. */
const columnFault = ({ name, options }: List, column: string): string | undefined => {
  if (!options.some(({ row, option }) => has(row, column) || option.attributes?.[column] !== undefined))
    return `the list "${name}" has no column ${column}`;
  return options.some(
    ({ row }) => (row.cellsByName.get(column)?.[0]?.text.length ?? 0) > MAX_ATTRIBUTE_LENGTH,
  )
    ? `a text in the column ${column} is longer than ${MAX_ATTRIBUTE_LENGTH} characters`
    : undefined;
};

/** Gives the options of a list an attribute for each column. Options that this service wrote already have theirs. */
const addAttributes = ({ options }: List, columns: readonly string[]): void => {
  for (const { row, option } of options)
    for (const column of columns) {
      const text = take(row, column);
      if (text !== '' && !hasOwn(row, 'attributes'))
        option.attributes = { ...option.attributes, [column]: text };
    }
};

/** The filter of a select's options; nothing, with a remark, where a content cannot have it. */
export const choiceFilterOf = (conversion: Conversion, node: Node): Pick<Field, 'choice_filter'> => {
  const { row } = node;
  const text = take(row, 'choice_filter');
  const list = listOf(conversion, node);
  if (text === '' || !list) return {};
  if (hasOwnValue(conversion, row, 'choice_filter')) {
    settle(row, 'choice_filter');
    return {};
  }
  const place = placeOf(conversion, node, 'choice_filter');
  const choice_filter = convertOrRemark(conversion.log, place, () => {
    const expression = expressionIn(text, true);
    const asked = columnsIn(expression);
    if (asked.includes('name') && (list.nameColumn ?? 'name') !== 'name')
      throw new NotSupported(
        `the options of the list "${list.name}" are named by ${list.nameColumn}, not by name`,
      );
    const columns = asked.filter((column) => column !== 'name');
    const fault = columns.map((column) => columnFault(list, column)).find((why) => why !== undefined);
    if (fault !== undefined) throw new NotSupported(fault);
    if (list.hasRepeated)
      throw new NotSupported(`the list "${list.name}" has several choices of the same name`);
    const formula = formulaOf(expression, (name) => targetOf(conversion, place, name), IN_CHOICE_FILTERS);
    addAttributes(list, columns);
    return formula;
  });
  return choice_filter === undefined ? {} : { choice_filter };
};

import { type ContentIndex, optionsOf, type Question } from '../content-index.ts';
import { also, boolean, type Check, list, type TypeRules, written } from './checks.ts';

/** Options that the message about an unknown option lists. */
const MAX_EXPECTED = 10;

const oneOf = (values: string[]): Check => {
  const known = new Set(values);
  const shown = values.slice(0, MAX_EXPECTED).map((value) => `'${value}'`);
  const expected = [...shown, ...(values.length > shown.length ? ['…'] : [])].join(', ');
  return written(
    (input) => (known.has(input) ? input : undefined),
    'enum',
    `Input should be one of ${expected}`,
  );
};

/** Several options, stored in the order of the content. */
const severalOf = (field: Question, index: ContentIndex): Check => {
  const options = optionsOf(index, field);
  const order = options.map(({ value }) => value);
  const check = also(
    list(oneOf(order), order.length, (value) => value),
    (values: string[]) =>
      values.length > 1 && options.some(({ is_na, value }) => is_na && values.includes(value))
        ? 'a not applicable option cannot be combined with other options'
        : undefined,
  );
  return (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked)) return checked;
    const chosen = new Set(checked.value as string[]);
    return { value: order.filter((value) => chosen.has(value)) };
  };
};

export const BOOLEAN: TypeRules = { check: () => boolean };
export const SINGLE_CHOICE: TypeRules = {
  check: (field, index) => oneOf(optionsOf(index, field).map(({ value }) => value)),
};
export const MULTIPLE_CHOICE: TypeRules = { check: severalOf };

/** The options that an answer chooses; `[]` for a field that is not a choice. */
export const chosenOptions = (field: Question, index: ContentIndex, value: unknown) => {
  const values = new Set([value].flat());
  return optionsOf(index, field).filter((option) => values.has(option.value));
};

/** Something that a developer may get wrong, as an edit of one file. */
export interface Mistake {
  /** What is wrong, in a sentence. */
  name: string;
  /** The file that is edited, from the folder of the project. */
  file: string;
  /** The text that is replaced. It stands in the file exactly once. */
  find: string;
  replace: string;
  /** The files of tests that ought to notice it, from the folder of the project. */
  tests: readonly string[];
}

/**
 * The text of the mistake's file, with the mistake made.
 * @param text the file as it is
 * @throws Error if the text that is replaced does not stand there exactly once
 */
export const withMistake = (text: string, { name, file, find, replace }: Mistake): string => {
  const times = text.split(find).length - 1;
  if (times !== 1)
    throw new Error(`"${name}" does not apply any more: what it replaces is in ${file} ${times} times.`);
  return text.replace(find, () => replace);
};

/**
 * The mistakes with these numbers, counted from 1, or with these texts in their names; all of them if there are none.
 * @throws Error if no mistake is meant by one of them
 */
export const mistakesNamed = (mistakes: readonly Mistake[], names: readonly string[]): readonly Mistake[] => {
  if (names.length === 0) return mistakes;
  const isMeant = (wanted: string, { name }: Mistake, index: number): boolean =>
    /^\d+$/.test(wanted) ? Number(wanted) === index + 1 : name.toLowerCase().includes(wanted.toLowerCase());
  const unknown = names.filter(
    (wanted) => !mistakes.some((mistake, index) => isMeant(wanted, mistake, index)),
  );
  if (unknown.length > 0)
    throw new Error(`There is no mistake ${unknown.join(', ')}. --list shows all of them.`);
  return mistakes.filter((mistake, index) => names.some((wanted) => isMeant(wanted, mistake, index)));
};

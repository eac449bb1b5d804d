const YES = new Set(['yes', 'true', 'true()', '1']);
const NO = new Set(['no', 'false', 'false()', '0']);

/** The yes or no of a cell, where an empty cell is a no; undefined for any other text, such as an expression. */
export const yesOrNo = (text: string): boolean | undefined => {
  const plain = text.toLowerCase().replaceAll(' ', '');
  return YES.has(plain) ? true : NO.has(plain) || plain === '' ? false : undefined;
};

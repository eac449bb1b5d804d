const YES = new Set(['yes', 'true', 'true()', '1']);
const NO = new Set(['no', 'false', 'false()', '0']);

/** Whether a cell says yes or no; an empty cell means no. Undefined for any other text, such as an expression. */
export const yesOrNo = (text: string): boolean | undefined => {
  const plain = text.toLowerCase().replaceAll(' ', '');
  return YES.has(plain) ? true : NO.has(plain) || plain === '' ? false : undefined;
};

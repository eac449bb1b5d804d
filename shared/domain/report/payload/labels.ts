/** The number of a question, and its label without it. */
export interface NumberedLabel {
  number: string | null;
  label: string;
}

/** "4.2", "12", "A3", "B.1", "7a": digits, with points between them, a letter before or after. */
const NUMBER = String.raw`(?:\p{Lu}{1,2}[.-]?)?\d{1,4}(?:\.\d{1,4}){0,4}\p{Ll}?`;

/** A number with a sign at its end: "1.", "2)", "3:", "A3 –", "(7)". */
const MARKED = new RegExp(
  String.raw`^\s*(?:(${NUMBER})(?:[.):]|\s*[–—-](?=\s))|\((${NUMBER})\))\s*(?=\D)`,
  'u',
);

/** A number of several parts that ends with a space. A capital, or a letter without case, comes next: "4.2 Floors". */
const BARE = /^\s*(\p{Lu}?\d{1,3}(?:\.\d{1,3}){1,4})\s+(?=[\p{Lu}\p{Lo}])/u;

/**
 * Divides a label that brings its own number: "4.2 Floors are clean" is number 4.2. A label that merely begins with a
 * figure ("2 extinguishers per floor", "1.5 m clearance") has no number.
 */
export const numberedLabel = (label: string): NumberedLabel => {
  const match = MARKED.exec(label) ?? BARE.exec(label);
  if (!match) return { number: null, label };
  const rest = label.slice(match[0].length).trim();
  const number = match.slice(1).find((part) => part !== undefined);
  return rest === '' || number === undefined ? { number: null, label } : { number, label: rest };
};

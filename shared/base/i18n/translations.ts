import type { Language } from './languages.ts';
import type { Plural } from './plural.ts';

/** English texts as every language has them: with the same keys, and each plural in the forms of the language. */
type Translation<English> = English extends string
  ? string
  : keyof English extends Intl.LDMLPluralRule
    ? Plural
    : { [Key in keyof English]: Translation<English[Key]> };

/** Texts by language. English says which there are. */
export type Translations<English> = Readonly<Record<Language, Translation<English>>>;

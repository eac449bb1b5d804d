import { familiesFor } from '../fonts.ts';
import { type Coverage, coverageOf } from './coverage.ts';

/** The most characters without a glyph that are named in a warning each. */
const MAX_GLYPH_WARNINGS = 40;

/** Every font has these, so such a text is drawn as it is. */
const PLAIN = /^[\n\x20-\x7e\xa1-\xac\xae-\xff]*$/;
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const CONTROLS = /[\p{Cc}--\n]/gv;
/**
 * Characters that no font draws and that a text can do without: all that are ignorable, but the joiners, the marks and
 * isolates of direction, the soft hyphen, the zero-width space and the selectors of variants.
 */
const IGNORABLE =
  /[[\p{Default_Ignorable_Code_Point}\u202a-\u202e]--[\u00ad\u200b-\u200f\u2066-\u2069\p{Variation_Selector}]]/gv;
const INKLESS = /[\p{Default_Ignorable_Code_Point}\n]/u;
const HAS_CLUSTERS = /\p{M}|\u200d|\ufe0f/u;

const codePointName = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;

const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

/**
 * Makes texts drawable: control characters and lone surrogates are removed or replaced, and a character that no font has
 * is written as its code point ([U+13000]), because PDF/A allows no missing glyph. Collects those characters.
 */
export class Drawable {
  readonly #fonts: Coverage[];
  readonly #missing = new Set<number>();
  /** The families in the order of preference. */
  readonly families: string[];

  /** @param all every text of the document, which with the language decides the order of the families */
  constructor(all: string, language: string) {
    const families = familiesFor(all, language);
    this.families = families.map(({ name }) => name);
    this.#fonts = families.map(({ files: [regular] }) => coverageOf(regular));
  }

  /** A warning for each character that no font has, and one for all beyond `MAX_GLYPH_WARNINGS`. */
  get warnings(): string[] {
    const shown = [...this.#missing].slice(0, MAX_GLYPH_WARNINGS);
    const more = this.#missing.size - shown.length;
    return [
      ...shown.map(
        (codePoint) =>
          `The fonts do not have the character "${String.fromCodePoint(codePoint)}" (${codePointName(codePoint)}).`,
      ),
      ...(more > 0 ? [`The fonts do not have ${more} more ${more === 1 ? 'character' : 'characters'}.`] : []),
    ];
  }

  text(text: string): string {
    if (PLAIN.test(text)) return text;
    const clean = text
      .toWellFormed()
      .normalize('NFC')
      .replace(LINE_ENDS, '\n')
      .replaceAll('\t', '    ')
      .replace(CONTROLS, '')
      .replace(IGNORABLE, '');
    if (!HAS_CLUSTERS.test(clean)) return Array.from(clean, (character) => this.#cluster(character)).join('');
    return Array.from(new Intl.Segmenter().segment(clean), ({ segment }) => this.#cluster(segment)).join('');
  }

  /** Every text of a value of JSON; the names of its members stay. */
  value<Value>(value: Value): Value {
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((element) => this.value(element)) as Value;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.value(member)]),
    ) as Value;
  }

  /** A letter with its marks is drawn in one font; a mark that this font lacks is written as its code point. */
  #cluster(cluster: string): string {
    const points = codePointsOf(cluster);
    const inked = points.filter((point) => !INKLESS.test(String.fromCodePoint(point)));
    if (this.#fonts.some((font) => inked.every((point) => font.has(point)))) return cluster;
    const font = this.#fonts.find((candidate) => candidate.has(inked[0]!));
    return points
      .map((point) => {
        if (font?.has(point) || !inked.includes(point)) return String.fromCodePoint(point);
        this.#missing.add(point);
        return `[${codePointName(point)}]`;
      })
      .join('');
  }
}

import { closeSync, openSync, readSync } from 'node:fs';
import { fontPath, familiesFor } from './runtime.ts';

/** Code points up to here are looked up: all of Unicode's planes that have letters (0 to 3). */
const MAX_CODE_POINT = 0x3ffff;

/** The code points that a font has. */
interface Coverage {
  has(codePoint: number): boolean;
}

class Bits implements Coverage {
  readonly #bits = new Uint8Array((MAX_CODE_POINT + 1) / 8);

  add(codePoint: number): void {
    if (codePoint <= MAX_CODE_POINT) this.#bits[codePoint >> 3]! |= 1 << (codePoint & 7);
  }

  has(codePoint: number): boolean {
    return codePoint <= MAX_CODE_POINT && (this.#bits[codePoint >> 3]! & (1 << (codePoint & 7))) !== 0;
  }
}

/** The table `cmap` of a font file; only its bytes are read. */
const readCharacterMap = (path: string): Buffer => {
  const file = openSync(path, 'r');
  try {
    const read = (position: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length);
      readSync(file, bytes, 0, length, position);
      return bytes;
    };
    const tables = read(0, 12).readUInt16BE(4);
    const directory = read(12, tables * 16);
    for (let entry = 0; entry < directory.length; entry += 16) {
      if (directory.toString('latin1', entry, entry + 4) !== 'cmap') continue;
      return read(directory.readUInt32BE(entry + 8), directory.readUInt32BE(entry + 12));
    }
    throw new Error(`${path} has no table cmap`);
  } finally {
    closeSync(file);
  }
};

/** Format 4: segments of the first 65,536 code points. */
const addSegments = (bits: Bits, table: Buffer): void => {
  const size = table.readUInt16BE(6);
  for (let at = 0; at < size; at += 2) {
    const end = table.readUInt16BE(14 + at);
    const start = table.readUInt16BE(16 + size + at);
    const delta = table.readUInt16BE(16 + 2 * size + at);
    const place = 16 + 3 * size + at;
    const offset = table.readUInt16BE(place);
    for (let code = start; code <= end && code < 0xffff; code += 1) {
      const glyph = offset === 0 ? code : table.readUInt16BE(place + offset + 2 * (code - start));
      if (offset === 0 ? ((code + delta) & 0xffff) !== 0 : glyph !== 0) bits.add(code);
    }
  }
};

/** Format 12: groups of code points of every plane. */
const addGroups = (bits: Bits, table: Buffer): void => {
  const groups = table.readUInt32BE(12);
  for (let at = 16; at < 16 + 12 * groups; at += 12) {
    const last = Math.min(table.readUInt32BE(at + 4), MAX_CODE_POINT);
    for (let code = table.readUInt32BE(at); code <= last; code += 1) bits.add(code);
  }
};

const known = new Map<string, Coverage>();

/**
 * The code points that a font file has, from its table `cmap` (OpenType 1.9, formats 4 and 12). It is read once.
 * @param file as in `FONT_FILES`
 */
const coverageOf = (file: string): Coverage => {
  const before = known.get(file);
  if (before) return before;
  const bits = new Bits();
  const map = readCharacterMap(fontPath(file));
  const offsets = Array.from({ length: map.readUInt16BE(2) }, (_, index) => map.readUInt32BE(8 + 8 * index));
  for (const offset of new Set(offsets)) {
    const table = map.subarray(offset);
    const format = table.readUInt16BE(0);
    if (format === 4) addSegments(bits, table);
    else if (format === 12) addGroups(bits, table);
  }
  known.set(file, bits);
  return bits;
};

/** The maximum number of warnings about characters without a glyph. */
const MAX_GLYPH_WARNINGS = 40;

/** Texts of characters that every font has. They are drawn as they are. */
const PLAIN = /^[\n\x20-\x7e\xa1-\xac\xae-\xff]*$/;
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const CONTROLS = /[\p{Cc}--\n]/gv;
/**
 * Characters that no font draws and no text needs: all ignorable ones, except joiners, marks and isolates of
 * direction, the soft hyphen, the zero-width space and the selectors of variants.
 */
const IGNORABLE =
  /[[\p{Default_Ignorable_Code_Point}\u202a-\u202e]--[\u00ad\u200b-\u200f\u2066-\u2069\p{Variation_Selector}]]/gv;
const INKLESS = /[\p{Default_Ignorable_Code_Point}\n]/u;
const HAS_CLUSTERS = /\p{M}|\u200d|\ufe0f/u;

const codePointName = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;

const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

/**
 * Makes texts drawable: control characters and lone surrogates are removed or replaced, and a character that no font
 * has is written as its code point ([U+13000]), because PDF/A allows no missing glyph. Collects those characters.
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

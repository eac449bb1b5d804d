import { closeSync, openSync, readSync } from 'node:fs';
import { fontPath } from '../fonts.ts';

/** Code points up to here are looked up: all of Unicode's planes that have letters (0 to 3). */
const MAX_CODE_POINT = 0x3ffff;

/** The code points that a font has. */
export interface Coverage {
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
export const coverageOf = (file: string): Coverage => {
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

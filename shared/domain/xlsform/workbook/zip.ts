import { crc32, createInflateRaw } from 'node:zlib';
import { SaxesParser } from 'saxes';

/** The bytes are not a workbook that the service accepts. The message says why. */
export class WorkbookError extends Error {
  override name = 'WorkbookError';
}

/** @throws WorkbookError always */
export const refuse = (what: string): never => {
  throw new WorkbookError(what);
};

/** The most parts of a workbook's zip. */
const MAX_PARTS = 2_000;

/**
 * The maximum size of all parts that are read, together and unpacked, in bytes. A part that is read twice counts twice.
 */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

/** The bytes that are unpacked at once. Other requests can run between two chunks. */
const CHUNK_BYTES = 64 * 1024;

const STORED = 0;
const DEFLATED = 8;

interface ZipPart {
  method: number;
  checksum: number;
  /** Of the packed bytes. */
  size: number;
  unpackedSize: number;
  /** Of the local header, from the start of the file. */
  offset: number;
}

/** Records of a zip (PKWARE APPNOTE, section 4.3). Values are little-endian. */
const SIGNATURES = {
  local: 0x04_03_4b_50,
  central: 0x02_01_4b_50,
  end: 0x06_05_4b_50,
  zip64Locator: 0x07_06_4b_50,
};

const END_LENGTH = 22;
const LOCATOR_LENGTH = 20;
const MAX_COMMENT_LENGTH = 0xff_ff;

/** The parts of a zip that is in memory as a whole. */
export class Zip {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #parts: ReadonlyMap<string, ZipPart>;
  #unpacked = 0;

  /**
   * @throws WorkbookError for bytes that are not a zip, and for a zip that is split, encrypted or in the ZIP64 format
   */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#parts = this.#listParts();
  }

  get names(): string[] {
    return [...this.#parts.keys()];
  }

  #has(at: number, signature: number, length: number): boolean {
    return at >= 0 && at + length <= this.#bytes.length && this.#view.getUint32(at, true) === signature;
  }

  /** The position of the record that ends the zip. Only its comment may follow it. */
  #findEnd(): number {
    const last = this.#bytes.length - END_LENGTH;
    for (let at = last; at >= Math.max(0, last - MAX_COMMENT_LENGTH); at -= 1)
      if (
        this.#has(at, SIGNATURES.end, END_LENGTH) &&
        this.#view.getUint16(at + 20, true) === this.#bytes.length - at - END_LENGTH
      )
        return at;
    return refuse('the file is not an .xlsx workbook');
  }

  #listParts(): Map<string, ZipPart> {
    const end = this.#findEnd();
    if (!this.#has(0, SIGNATURES.local, 30)) refuse('the file is not an .xlsx workbook');
    const count = this.#view.getUint16(end + 10, true);
    const sizeAndOffset = [this.#view.getUint32(end + 12, true), this.#view.getUint32(end + 16, true)];
    // Where a count, size or offset has its largest value, other readers take it from the ZIP64 records instead.
    if (
      this.#has(end - LOCATOR_LENGTH, SIGNATURES.zip64Locator, LOCATOR_LENGTH) ||
      count === 0xff_ff ||
      sizeAndOffset.includes(0xff_ff_ff_ff)
    )
      refuse('the workbook has the ZIP64 format: save it again as a usual .xlsx file');
    if (count > MAX_PARTS) refuse(`the workbook has more than ${MAX_PARTS} parts`);
    const parts = new Map<string, ZipPart>();
    let at = sizeAndOffset[1]!;
    for (let i = 0; i < count; i += 1) at = this.#listPart(at, parts);
    return parts;
  }

  /** Adds the part of a record of the central directory. @returns the position of the next record */
  #listPart(at: number, parts: Map<string, ZipPart>): number {
    const view = this.#view;
    if (!this.#has(at, SIGNATURES.central, 46)) refuse('the workbook is damaged');
    const part: ZipPart = {
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      size: view.getUint32(at + 20, true),
      unpackedSize: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    };
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(this.#bytes.subarray(at + 46, nameEnd));
    if ((view.getUint16(at + 8, true) & 1) !== 0)
      refuse('the workbook is encrypted: save it without a password');
    if (parts.has(name)) refuse('the workbook has two parts of the same name');
    parts.set(name, part);
    return nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }

  #packed({ size, offset }: ZipPart): Uint8Array {
    if (!this.#has(offset, SIGNATURES.local, 30)) refuse('the workbook is damaged');
    const begin =
      offset + 30 + this.#view.getUint16(offset + 26, true) + this.#view.getUint16(offset + 28, true);
    return this.#bytes.subarray(begin, begin + size);
  }

  /**
   * The bytes of a part, unpacked in chunks. The size and checksum that the zip states are compared only at the end.
   * @throws WorkbookError for a part that is missing or damaged, and beyond the limit of unpacked bytes
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const part = this.#parts.get(name) ?? refuse(`the workbook has no part ${name}`);
    const packed = this.#packed(part);
    let size = 0;
    let checksum = 0;
    for await (const chunk of chunksOf(packed, part.method)) {
      size += chunk.length;
      this.#unpacked += chunk.length;
      if (this.#unpacked > MAX_UNPACKED_BYTES)
        refuse(`the workbook is larger than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB when it is unpacked`);
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (size !== part.unpackedSize || checksum !== part.checksum) refuse('the workbook is damaged');
  }
}

async function* chunksOf(packed: Uint8Array, method: number): AsyncGenerator<Uint8Array> {
  if (method === STORED)
    for (let at = 0; at < packed.length; at += CHUNK_BYTES) {
      yield packed.subarray(at, at + CHUNK_BYTES);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  else if (method === DEFLATED) {
    const inflating = createInflateRaw({ chunkSize: CHUNK_BYTES });
    inflating.end(packed);
    // Leaving the loop early destroys the stream.
    for await (const chunk of inflating) yield chunk as Uint8Array;
  } else refuse('the workbook is compressed in a way that cannot be read');
}

/** Levels of elements. Parts of a workbook have about ten. */
const MAX_DEPTH = 50;

/** Elements of one part: each takes time, even where it has no text. The most cells of a form have three each. */
const MAX_ELEMENTS = 2_200_000;

/** Characters between two tags, and of a tag. */
const MAX_TOKEN_LENGTH = 1024 * 1024;

export interface Handlers {
  /** @param path the names of the open elements from the root on, this one included, without prefixes */
  open?: (path: readonly string[], attributes: Readonly<Record<string, string>>) => void;
  /** @param text the text of an element that contains no other elements */
  close?: (path: readonly string[], text: string) => void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads a part of a workbook while it is unpacked. A document type is skipped; a use of an entity that it defines is an
 * error.
 * @throws WorkbookError for XML that is nested too deeply or has very long texts, and for XML that is not well formed
 */
export const parseXml = async (
  chunks: AsyncIterable<Uint8Array>,
  { open, close }: Handlers,
): Promise<void> => {
  const path: string[] = [];
  let text = '';
  let sinceTag = 0;
  let elements = 0;
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => refuse(`the workbook cannot be read: ${message}`));
  parser.on('opentag', ({ name, attributes }) => {
    path.push(localName(name));
    text = '';
    sinceTag = 0;
    elements += 1;
    if (elements > MAX_ELEMENTS) refuse('the workbook has too many cells, most of them empty');
    if (path.length > MAX_DEPTH) refuse(`the workbook has elements more than ${MAX_DEPTH} levels deep`);
    open?.(path, attributes);
  });
  const addText = (more: string) => {
    text += more;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    close?.(path, text);
    path.pop();
    text = '';
    sinceTag = 0;
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    sinceTag += chunk.length;
    if (sinceTag > MAX_TOKEN_LENGTH) refuse('the workbook has a text or a tag that is too long');
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.write(decoder.decode()).close();
};

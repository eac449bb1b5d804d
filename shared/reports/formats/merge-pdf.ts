import { Readable } from 'node:stream';
import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
} from 'pdf-lib';

/** A document to merge, with the title that its entry in the outline gets. */
export interface MergedDocument {
  title: string;
  /** A PDF. */
  bytes: Uint8Array;
}

/** Objects that describe a whole document. In a merged file they would describe the other documents too. */
const CATALOG_TYPES = new Set(['Catalog', 'StructTreeRoot', 'StructElem', 'Metadata', 'ObjStm', 'XRef']);

const typeOf = (object: PDFObject): string | undefined => {
  const dict = object instanceof PDFStream ? object.dict : object;
  const type = dict instanceof PDFDict ? dict.get(PDFName.of('Type')) : undefined;
  return type instanceof PDFName ? type.decodeText() : undefined;
};

/** Moves every reference inside an object by so many numbers, in place. */
const renumber = (object: PDFObject, by: number): PDFObject => {
  if (object instanceof PDFRef) return PDFRef.of(object.objectNumber + by, object.generationNumber);
  if (object instanceof PDFArray) {
    for (let index = 0; index < object.size(); index += 1) object.set(index, renumber(object.get(index), by));
  }
  if (object instanceof PDFDict) {
    for (const [key, value] of object.entries()) object.set(key, renumber(value, by));
  }
  if (object instanceof PDFStream) renumber(object.dict, by);
  return object;
};

/** Writes objects of a PDF one after the other, and keeps only where each begins (ISO 32000-2, section 7.5). */
class PdfWriter {
  /** The offset of each object by its number; undefined for one that is not written. */
  readonly #offsets: (number | undefined)[] = [];
  #position = 0;

  text(text: string): Uint8Array {
    return this.#bytes(Buffer.from(text, 'latin1'));
  }

  object(number: number, object: PDFObject): Uint8Array {
    this.#offsets[number] = this.#position;
    const start = Buffer.from(`${number} 0 obj\n`, 'latin1');
    const body = Buffer.alloc(object.sizeInBytes());
    object.copyBytesInto(body, 0);
    return this.#bytes(Buffer.concat([start, body, Buffer.from('\nendobj\n', 'latin1')]));
  }

  end(root: number): Uint8Array {
    const start = this.#position;
    const size = this.#offsets.length;
    const entries = Array.from({ length: size }, (_, number) => {
      const offset = this.#offsets[number];
      return offset === undefined
        ? '0000000000 65535 f\r\n'
        : `${String(offset).padStart(10, '0')} 00000 n\r\n`;
    });
    return this.text(
      `xref\n0 ${size}\n${entries.join('')}trailer\n<</Size ${size}/Root ${root} 0 R>>\nstartxref\n${start}\n%%EOF\n`,
    );
  }

  #bytes(bytes: Uint8Array): Uint8Array {
    this.#position += bytes.length;
    return bytes;
  }
}

/** The numbers of the merged file's own objects. */
const CATALOG = 1;
const PAGES = 2;
const OUTLINES = 3;
const FIRST_FREE = 4;

/** The data of a document that the end of the file needs. */
interface Merged {
  title: string;
  /** The number of its page tree's root, and of its first page. */
  pages: number;
  firstPage: number;
  pageCount: number;
  /** The number of its entry in the outline. */
  entry: number;
}

const reference = (number: number) => PDFRef.of(number, 0);

/** Writes the objects of one document under new numbers. Its page tree hangs below that of the merged file. */
const writeDocument = async function* (
  writer: PdfWriter,
  { title, bytes }: MergedDocument,
  free: number,
): AsyncGenerator<Uint8Array, { merged: Merged; free: number }> {
  const source = await PDFDocument.load(bytes, { updateMetadata: false });
  const { context, catalog } = source;
  const pageTree = catalog.get(PDFName.of('Pages')) as PDFRef;
  const firstPage = source.getPage(0).ref.objectNumber + free;
  const pageCount = source.getPageCount();
  let highest = free;
  for (const [{ objectNumber }, object] of context.enumerateIndirectObjects()) {
    if (CATALOG_TYPES.has(typeOf(object) ?? '')) continue;
    const number = objectNumber + free;
    highest = Math.max(highest, number);
    renumber(object, free);
    if (objectNumber === pageTree.objectNumber)
      (object as PDFDict).set(PDFName.of('Parent'), reference(PAGES));
    if (typeOf(object) === 'Page') (object as PDFDict).delete(PDFName.of('StructParents'));
    yield writer.object(number, object);
  }
  const entry = highest + 1;
  const pages = pageTree.objectNumber + free;
  return { merged: { title, pages, firstPage, pageCount, entry }, free: entry + 1 };
};

/** The catalog, the page tree and the outline of the merged file. */
const writeEnd = function* (
  writer: PdfWriter,
  context: PDFDocument['context'],
  documents: readonly Merged[],
): Generator<Uint8Array> {
  for (const [position, { title, entry, firstPage }] of documents.entries()) {
    const [before, after] = [documents[position - 1], documents[position + 1]];
    yield writer.object(
      entry,
      context.obj({
        Title: PDFHexString.fromText(title),
        Parent: reference(OUTLINES),
        Dest: [reference(firstPage), 'Fit'],
        ...(before && { Prev: reference(before.entry) }),
        ...(after && { Next: reference(after.entry) }),
      }),
    );
  }
  yield writer.object(
    OUTLINES,
    context.obj({
      Type: 'Outlines',
      First: reference(documents[0]!.entry),
      Last: reference(documents.at(-1)!.entry),
      Count: documents.length,
    }),
  );
  yield writer.object(
    PAGES,
    context.obj({
      Type: 'Pages',
      Kids: documents.map(({ pages }) => reference(pages)),
      Count: PDFNumber.of(documents.reduce((sum, { pageCount }) => sum + pageCount, 0)),
    }),
  );
  yield writer.object(
    CATALOG,
    context.obj({
      Type: 'Catalog',
      Pages: reference(PAGES),
      Outlines: reference(OUTLINES),
      PageMode: 'UseOutlines',
    }),
  );
  yield writer.end(CATALOG);
};

const write = async function* (documents: AsyncIterable<MergedDocument>): AsyncGenerator<Uint8Array> {
  const writer = new PdfWriter();
  // The comment's high bytes tell programs that the file is binary (ISO 32000-2, section 7.5.2).
  yield writer.text('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n');
  const done: Merged[] = [];
  let free = FIRST_FREE;
  for await (const document of documents) {
    const { merged, free: next } = yield* writeDocument(writer, document, free);
    done.push(merged);
    free = next;
  }
  const { context } = await PDFDocument.create();
  yield* writeEnd(writer, context, done);
};

/**
 * Merges PDFs into one, in which each has an entry of the outline. Only one of them is in memory at a time. The
 * outline, tags and attachments of each PDF are left out.
 * @param documents one at least
 */
export const mergePdf = (documents: AsyncIterable<MergedDocument>): Readable =>
  Readable.from(write(documents), { objectMode: false });

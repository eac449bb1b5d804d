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
  PDFString,
} from 'pdf-lib';

/** A document to merge, with the title that its entry in the outline gets. */
export interface MergedDocument {
  title: string;
  /** A PDF. */
  bytes: Uint8Array;
}

/** What a merged file says of itself. */
export interface MergedFile {
  title: string;
  /** A BCP 47 tag. */
  language: string;
  /**
   * Makes the pages that come first, once it is known how many pages each document has. A link of theirs to `report:3`
   * leads to the third document.
   */
  contents: (pageCounts: readonly number[]) => Promise<MergedDocument>;
}

/** Objects that describe a whole document, and attached files, which are left out. */
const LEFT_OUT = new Set(['Catalog', 'Metadata', 'ObjStm', 'XRef', 'Filespec', 'EmbeddedFile']);

const name = (text: string): PDFName => PDFName.of(text);

const typeOf = (object: PDFObject): string | undefined => {
  const dict = object instanceof PDFStream ? object.dict : object;
  const type = dict instanceof PDFDict ? dict.get(name('Type')) : undefined;
  return type instanceof PDFName ? type.decodeText() : undefined;
};

const isString = (object: PDFObject | undefined): object is PDFString | PDFHexString =>
  object instanceof PDFString || object instanceof PDFHexString;

/** How what is unique in one document becomes unique in the merged file. */
interface Shift {
  /** Added to the number of each object. */
  objects: number;
  /** Added to each key of the parent tree. */
  parents: number;
  /** Put before each name of a destination and of an element. */
  prefix: string;
}

const prefixed = (text: PDFString | PDFHexString, prefix: string): PDFHexString =>
  PDFHexString.fromText(`${prefix}${text.decodeText()}`);

/** Keys with a number or name that only the own document knows (ISO 32000-2, sections 14.7.5, 12.3.2, 14.8.5.7). */
const shiftEntry = (dict: PDFDict, key: string, value: PDFObject, { parents, prefix }: Shift): PDFObject => {
  if ((key === 'StructParents' || key === 'StructParent') && value instanceof PDFNumber)
    return PDFNumber.of(value.asNumber() + parents);
  const isName = key === 'Dest' || key === 'D' || (key === 'ID' && typeOf(dict) === 'StructElem');
  if (isName && isString(value)) return prefixed(value, prefix);
  if (key === 'Headers' && value instanceof PDFArray) {
    for (let index = 0; index < value.size(); index += 1) {
      const header = value.get(index);
      if (isString(header)) value.set(index, prefixed(header, prefix));
    }
  }
  return value;
};

/** Moves every reference inside an object, in place. */
const shift = (object: PDFObject, by: Shift): PDFObject => {
  if (object instanceof PDFRef) return PDFRef.of(object.objectNumber + by.objects, object.generationNumber);
  if (object instanceof PDFArray) {
    for (let index = 0; index < object.size(); index += 1) object.set(index, shift(object.get(index), by));
  }
  if (object instanceof PDFDict) {
    for (const [key, value] of object.entries())
      object.set(key, shift(shiftEntry(object, key.decodeText(), value, by), by));
  }
  if (object instanceof PDFStream) shift(object.dict, by);
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

  end(root: number, info: number): Uint8Array {
    const start = this.#position;
    const size = this.#offsets.length;
    const entries = Array.from({ length: size }, (_, number) => {
      const offset = this.#offsets[number];
      return offset === undefined
        ? '0000000000 65535 f\r\n'
        : `${String(offset).padStart(10, '0')} 00000 n\r\n`;
    });
    return this.text(
      `xref\n0 ${size}\n${entries.join('')}trailer\n<</Size ${size}/Root ${root} 0 R/Info ${info} 0 R>>\nstartxref\n${start}\n%%EOF\n`,
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
const INFO = 4;
const TAGS = 5;
const TAGGED_DOCUMENT = 6;
const FIRST_FREE = 7;

/** The trees of names and numbers of a document, which become branches of those of the file. */
const TREES = ['ParentTree', 'IDTree', 'Dests'] as const;
type Tree = (typeof TREES)[number];

/** The data of a document that the end of the file needs. */
interface Merged {
  title: string;
  /** The number of its page tree's root, and of its first page. */
  pages: number;
  firstPage: number;
  pageCount: number;
  /** The number of its entry in the outline, and what stands below it. */
  entry: number;
  outline: Record<string, PDFObject>;
  /** The number of its element in the tree of tags; null where it has no tags. */
  tags: number | null;
  /** What its own tags stand for, by their names. */
  roles: Record<string, PDFObject>;
  /** The numbers of its branches. */
  branches: Partial<Record<Tree, number>>;
}

/** The first free numbers of the file. */
interface Free {
  object: number;
  parent: number;
  document: number;
}

const reference = (number: number) => PDFRef.of(number, 0);

/** The keys and values of a tree, in its order, as a flat list. */
const leavesOf = (tree: PDFDict | undefined, key: 'Names' | 'Nums'): PDFObject[] => {
  if (!tree) return [];
  const kids = tree.lookupMaybe(name('Kids'), PDFArray);
  const below = kids
    ? Array.from({ length: kids.size() }, (_, index) => leavesOf(kids.lookup(index, PDFDict), key)).flat()
    : [];
  return [...(tree.lookupMaybe(name(key), PDFArray)?.asArray() ?? []), ...below];
};

/** The branch of a tree with the leaves of one document; undefined without any. */
const branchOf = (
  context: PDFDocument['context'],
  tree: PDFDict | undefined,
  key: 'Names' | 'Nums',
  by: Shift,
): PDFDict | undefined => {
  const leaves = leavesOf(tree, key).map((leaf, index) => {
    // A list stands in the document as well, and is moved there by itself.
    if (index % 2 === 1) return shift(leaf instanceof PDFArray ? leaf.clone(context) : leaf, by);
    return isString(leaf)
      ? prefixed(leaf, by.prefix)
      : PDFNumber.of((leaf as PDFNumber).asNumber() + by.parents);
  });
  if (leaves.length === 0) return undefined;
  return context.obj({ Limits: [leaves[0]!, leaves.at(-2)!], [key]: leaves });
};

const entriesOf = (dict: PDFDict | undefined, keys?: readonly string[]): Record<string, PDFObject> =>
  Object.fromEntries(
    (dict?.entries() ?? [])
      .map(([key, value]) => [key.decodeText(), value] as const)
      .filter(([key]) => keys?.includes(key) ?? true),
  );

/** The number of the object that a key of a dictionary names; undefined where it names none. */
const numberAt = (dict: PDFDict, key: string): number | undefined => {
  const value = dict.get(name(key));
  return value instanceof PDFRef ? value.objectNumber : undefined;
};

/** Makes a link to `report:3` one to the first page of the third document. */
const leadToDocuments = (object: PDFObject, documents: readonly Merged[]): void => {
  // In a StructElem, the key `A` has attributes.
  if (!(object instanceof PDFDict) || typeOf(object) !== 'Annot') return;
  const address = object.lookupMaybe(name('A'), PDFDict)?.lookup(name('URI'));
  const [, position] = (isString(address) && /^report:(\d+)$/.exec(address.decodeText())) || [];
  const document = position && documents[Number(position) - 1];
  if (!document) return;
  object.delete(name('A'));
  object.set(name('Dest'), object.context.obj([reference(document.firstPage), 'Fit']));
};

/**
 * Writes the objects of one document under new numbers. Its trees of pages, tags and bookmarks hang below those of the
 * merged file.
 * @param before the documents that its links `report:3` lead to
 */
const writeDocument = async function* (
  writer: PdfWriter,
  { title, bytes }: MergedDocument,
  free: Free,
  before: readonly Merged[] = [],
): AsyncGenerator<Uint8Array, { merged: Merged; free: Free }> {
  const source = await PDFDocument.load(bytes, { updateMetadata: false });
  const { context, catalog } = source;
  const by: Shift = {
    objects: free.object,
    parents: free.parent,
    prefix: `${String(free.document).padStart(6, '0')}-`,
  };
  const tagRoot = catalog.lookupMaybe(name('StructTreeRoot'), PDFDict);
  const tagNumber = numberAt(catalog, 'StructTreeRoot');
  const outlineRoot = catalog.lookupMaybe(name('Outlines'), PDFDict);
  const outlineNumber = numberAt(catalog, 'Outlines');
  const pageTree = catalog.get(name('Pages')) as PDFRef;
  const firstPage = source.getPage(0).ref.objectNumber + by.objects;
  const pageCount = source.getPageCount();
  const trees: Record<Tree, PDFDict | undefined> = {
    ParentTree: branchOf(context, tagRoot?.lookupMaybe(name('ParentTree'), PDFDict), 'Nums', by),
    IDTree: branchOf(context, tagRoot?.lookupMaybe(name('IDTree'), PDFDict), 'Names', by),
    Dests: branchOf(
      context,
      catalog.lookupMaybe(name('Names'), PDFDict)?.lookupMaybe(name('Dests'), PDFDict),
      'Names',
      by,
    ),
  };
  const nextParent = tagRoot?.lookupMaybe(name('ParentTreeNextKey'), PDFNumber)?.asNumber() ?? 0;
  let highest = free.object;
  for (const [{ objectNumber }, object] of context.enumerateIndirectObjects()) {
    if (LEFT_OUT.has(typeOf(object) ?? '')) continue;
    const number = objectNumber + by.objects;
    highest = Math.max(highest, number);
    shift(object, by);
    leadToDocuments(object, before);
    // These two are written below, as branches of the file's own.
    if (objectNumber === tagNumber || objectNumber === outlineNumber) continue;
    if (objectNumber === pageTree.objectNumber) (object as PDFDict).set(name('Parent'), reference(PAGES));
    yield writer.object(number, object);
  }
  const next = (): number => (highest += 1);
  const branches: Merged['branches'] = {};
  for (const tree of TREES) {
    const branch = trees[tree];
    if (!branch) continue;
    branches[tree] = next();
    yield writer.object(branches[tree], branch);
  }
  // The elements below name the root of their document's tags as their parent.
  const tags = tagNumber === undefined ? null : tagNumber + by.objects;
  if (tags !== null && tagRoot) {
    const element = {
      Type: 'StructElem',
      S: 'Part',
      P: reference(TAGGED_DOCUMENT),
      T: PDFHexString.fromText(title),
      ...entriesOf(tagRoot, ['K']),
    };
    yield writer.object(tags, context.obj(element));
  }
  const merged: Merged = {
    title,
    pages: pageTree.objectNumber + by.objects,
    firstPage,
    pageCount,
    entry: outlineNumber === undefined ? next() : outlineNumber + by.objects,
    outline: entriesOf(outlineRoot, ['First', 'Last']),
    tags,
    roles: entriesOf(tagRoot?.lookupMaybe(name('RoleMap'), PDFDict)),
    branches,
  };
  return {
    merged,
    free: { object: highest + 1, parent: free.parent + nextParent, document: free.document + 1 },
  };
};

/** The catalog and the trees of the merged file. */
const writeEnd = function* (
  writer: PdfWriter,
  context: PDFDocument['context'],
  documents: readonly Merged[],
  { title, language }: MergedFile,
  nextParent: number,
): Generator<Uint8Array> {
  // The keys of a tree ascend: those of the contents, which are written last, are the highest.
  const [contents, ...others] = documents;
  const treeOf = (tree: Tree) => ({
    Kids: [...others, contents!].flatMap(({ branches }) =>
      branches[tree] === undefined ? [] : [reference(branches[tree])],
    ),
  });
  for (const [position, { title: own, entry, firstPage, outline }] of documents.entries()) {
    const [before, after] = [documents[position - 1], documents[position + 1]];
    yield writer.object(
      entry,
      context.obj({
        Title: PDFHexString.fromText(own),
        Parent: reference(OUTLINES),
        Dest: [reference(firstPage), 'Fit'],
        ...outline,
        // A negative number closes the entry.
        ...(outline['First'] && { Count: -1 }),
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
  yield writer.object(INFO, context.obj({ Title: PDFHexString.fromText(title) }));
  yield writer.object(
    TAGGED_DOCUMENT,
    context.obj({
      Type: 'StructElem',
      S: 'Document',
      P: reference(TAGS),
      K: documents.flatMap(({ tags }) => (tags === null ? [] : [reference(tags)])),
    }),
  );
  yield writer.object(
    TAGS,
    context.obj({
      Type: 'StructTreeRoot',
      K: [reference(TAGGED_DOCUMENT)],
      ParentTree: treeOf('ParentTree'),
      ParentTreeNextKey: nextParent,
      IDTree: treeOf('IDTree'),
      RoleMap: Object.assign({}, ...documents.map(({ roles }) => roles)) as Merged['roles'],
    }),
  );
  yield writer.object(
    CATALOG,
    context.obj({
      Type: 'Catalog',
      Pages: reference(PAGES),
      Outlines: reference(OUTLINES),
      PageMode: 'UseOutlines',
      Lang: PDFString.of(language),
      Names: { Dests: treeOf('Dests') },
      MarkInfo: { Marked: documents.every(({ tags }) => tags !== null) },
      StructTreeRoot: reference(TAGS),
      ViewerPreferences: { DisplayDocTitle: true },
    }),
  );
  yield writer.end(CATALOG, INFO);
};

const write = async function* (
  documents: AsyncIterable<MergedDocument>,
  file: MergedFile,
): AsyncGenerator<Uint8Array> {
  const writer = new PdfWriter();
  // The comment's high bytes tell programs that the file is binary (ISO 32000-2, section 7.5.2).
  yield writer.text('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n');
  const done: Merged[] = [];
  let free: Free = { object: FIRST_FREE, parent: 0, document: 1 };
  for await (const document of documents) {
    const { merged, free: next } = yield* writeDocument(writer, document, free);
    done.push(merged);
    free = next;
  }
  const contents = await file.contents(done.map(({ pageCount }) => pageCount));
  const { merged, free: last } = yield* writeDocument(writer, contents, free, done);
  const { context } = await PDFDocument.create();
  yield* writeEnd(writer, context, [merged, ...done], file, last.parent);
};

/**
 * Merges PDFs into one, which keeps their tags, links and bookmarks, below an entry of the outline for each. Only one of
 * them is in memory at a time. What is attached to them is left out.
 * @param documents one at least
 */
export const mergePdf = (documents: AsyncIterable<MergedDocument>, file: MergedFile): Readable =>
  Readable.from(write(documents, file), { objectMode: false });

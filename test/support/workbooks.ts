import { crc32, deflateRawSync } from 'node:zlib';

/** What a zip says about itself where that is not the truth. */
export interface Lies {
  /** Of worksheets. */
  unpackedSize?: number;
  checksum?: number;
  offset?: number;
  count?: number;
  directorySize?: number;
  directoryOffset?: number;
  /** Whether a ZIP64 locator comes before the last record. */
  hasLocator?: boolean;
  /** Of each part: 1 for an encrypted one. */
  flags?: number;
  /** How each part is packed: 0 for stored, 8 for deflated, which it is otherwise. */
  method?: number;
  /** Behind the last record. */
  comment?: string;
}

/** A record of a zip: numbers as little-endian fields of 2 or 4 bytes. */
const record = (...fields: [bytes: 2 | 4, value: number][]): Buffer =>
  Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      if (bytes === 2) field.writeUInt16LE(value);
      else field.writeUInt32LE(value);
      return field;
    }),
  );

/** A zip of these parts, by name (PKWARE APPNOTE, section 4.3). */
export const zipOf = (
  parts: readonly (readonly [name: string, content: string | Uint8Array])[],
  lies: Lies = {},
): Uint8Array<ArrayBuffer> => {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const { checksum, unpackedSize, offset: lie } = name.includes('worksheets/') ? lies : {};
    const bytes = Buffer.from(content as string);
    const packed = lies.method === 0 ? bytes : deflateRawSync(bytes);
    const fileName = Buffer.from(name);
    const common: [2 | 4, number][] = [
      [2, 0x08_00 + (lies.flags ?? 0)],
      [2, lies.method ?? 8],
      [4, 0],
      [4, checksum ?? crc32(bytes)],
      [4, packed.length],
      [4, unpackedSize ?? bytes.length],
      [2, fileName.length],
      [2, 0],
    ];
    const local = Buffer.concat([record([4, 0x04_03_4b_50], [2, 20], ...common), fileName, packed]);
    const rest: [2 | 4, number][] = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, lie ?? offset],
    ];
    directory.push(record([4, 0x02_01_4b_50], [2, 20], [2, 20], ...common, ...rest), fileName);
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const locator = record([4, 0x07_06_4b_50], [4, 0], [4, 0], [4, 0], [4, 1]);
  const end = record(
    [4, 0x06_05_4b_50],
    [4, 0],
    [2, lies.count ?? parts.length],
    [2, lies.count ?? parts.length],
    [4, lies.directorySize ?? listed.length],
    [4, lies.directoryOffset ?? offset],
    [2, lies.comment?.length ?? 0],
  );
  const comment = Buffer.from(lies.comment ?? '');
  return Uint8Array.from(
    Buffer.concat([...locals, listed, ...(lies.hasLocator ? [locator] : []), end, comment]),
  );
};

export const sheetXml = (rows: string): string => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;

/** A cell with a text of its own. */
export const inline = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relationships = (targets: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `<Relationships>${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** The parts of a workbook. @param sheets the XML of each sheet by its name @param shared that of the shared texts */
export const workbookParts = ({
  sheets,
  shared,
}: {
  sheets: Record<string, string>;
  shared?: string;
}): [string, string][] => {
  const names = Object.keys(sheets);
  return [
    ['[Content_Types].xml', '<Types/>'],
    ['_rels/.rels', relationships([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    [
      'xl/workbook.xml',
      `<workbook xmlns:r="${TYPES}"><sheets>${names
        .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
        .join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships([
        ...names.map((_, i) => [`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`] as const),
        ['rIdShared', 'sharedStrings', 'sharedStrings.xml'],
      ]),
    ],
    ...Object.values(sheets).map((xml, i): [string, string] => [`xl/worksheets/sheet${i + 1}.xml`, xml]),
    ['xl/sharedStrings.xml', shared ?? '<sst/>'],
  ];
};

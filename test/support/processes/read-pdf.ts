import { createInterface } from 'node:readline';
import { getDocumentProxy } from 'unpdf';
import type { ReadPdf } from '../pdf.ts';

interface Bookmark {
  title: string;
  dest: unknown;
  items: Bookmark[];
}

interface Tag {
  role?: string;
  alt?: string;
  children?: Tag[];
}

const tagsOf = ({ role, alt, children = [] }: Tag): string[] => [
  ...(role ? [alt ? `${role}: ${alt}` : role] : []),
  ...children.flatMap(tagsOf),
];

interface Attachment {
  filename: string;
}

interface Annotation {
  subtype: string;
  unsafeUrl?: string;
  dest?: unknown;
}

const read = async (bytes: Uint8Array): Promise<ReadPdf> => {
  const pdf = await getDocumentProxy(bytes);
  const pages: string[] = [];
  const extents: ReadPdf['extents'] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
    const edges = items.flatMap((item) =>
      'str' in item && item.str.trim() !== '' ? [[item.transform[4], item.transform[4] + item.width]] : [],
    ) as [number, number][];
    extents.push({
      width: page.view[2]!,
      left: Math.min(...edges.map(([start, end]) => Math.min(start, end))),
      right: Math.max(...edges.map(([start, end]) => Math.max(start, end))),
    });
  }
  const pageOf = async (dest: unknown): Promise<number> => {
    const explicit = typeof dest === 'string' ? await pdf.getDestination(dest) : (dest as unknown[] | null);
    return explicit ? (await pdf.getPageIndex(explicit[0] as never)) + 1 : 0;
  };
  const titles = async (bookmarks: Bookmark[]): Promise<string[]> => {
    const lines = [];
    for (const { title, dest, items } of bookmarks) {
      lines.push(`${await pageOf(dest)}: ${title}`, ...(await titles(items)));
    }
    return lines;
  };
  const outline = await titles((await pdf.getOutline()) ?? []);
  const [, , width, height] = (await pdf.getPage(1)).view as [number, number, number, number];
  const { info, metadata } = await pdf.getMetadata();
  const links: string[] = [];
  const tags: string[][] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    for (const { subtype, unsafeUrl, dest } of (await page.getAnnotations()) as Annotation[]) {
      if (subtype === 'Link') links.push(`${number}: ${unsafeUrl ?? `page ${await pageOf(dest)}`}`);
    }
    tags.push(tagsOf(((await page.getStructTree()) ?? {}) as Tag));
  }
  const attachments: Record<string, string> = {};
  for (const [id, { filename }] of ((await pdf.getAttachments()) ?? new Map()) as Map<string, Attachment>) {
    attachments[filename] = Buffer.from((await pdf.getAttachmentContent(id))!).toString();
  }
  return {
    pages,
    outline,
    size: { width, height },
    extents,
    info: info as Record<string, unknown>,
    links,
    conformance: `${metadata?.get('pdfaid:part') ?? ''}${metadata?.get('pdfaid:conformance') ?? ''}`,
    language: (info as { Language?: string }).Language ?? '',
    isTagged: (await pdf.getMarkInfo())?.Marked === true,
    tags,
    attachments,
  };
};

for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${JSON.stringify(await read(new Uint8Array(Buffer.from(line, 'base64'))))}\n`);
}

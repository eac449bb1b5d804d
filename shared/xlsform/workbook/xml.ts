import { SaxesParser } from 'saxes';
import { refuse } from './workbook-error.ts';

/** Levels of elements. Parts of a workbook have about ten. */
const MAX_DEPTH = 50;

/** Elements of one part: each takes time, even where it has no text. */
const MAX_ELEMENTS = 4_000_000;

/** Characters between two tags, and of a tag. */
const MAX_TOKEN_LENGTH = 1024 * 1024;

export interface Handlers {
  /** @param path the names of the open elements from the root on, this one included, without prefixes */
  open?: (path: readonly string[], attributes: Readonly<Record<string, string>>) => void;
  /** @param text for an element without elements in it */
  close?: (path: readonly string[], text: string) => void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads a part of a workbook while it is unpacked. A document type is skipped; the entities that it defines are errors.
 * @throws WorkbookError for XML that is nested too deep or has very long texts, and for XML that is not well formed
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

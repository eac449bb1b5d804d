import { type PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import yazl from 'yazl';

/** A file of an archive. */
export interface ArchivedFile {
  /** With `/` between its folders; each part is a safe name. */
  path: string;
  /** Called when the files before it are written. Undefined for a file that was deleted, which is left out. */
  open: () => Promise<Readable | Uint8Array | undefined>;
  /** A file that is compressed already, such as a PDF or a photo, is stored as it is. */
  isCompressed: boolean;
}

/** The path, with a number before its extension where an earlier file of the archive has the same one in any case. */
const unusedPath = (path: string, used: Set<string>): string => {
  const [, start = path, extension = ''] = /^(.*?)(\.[^./]*)?$/s.exec(path) ?? [];
  let free = path;
  for (let number = 2; used.has(free.toLowerCase()); number += 1) free = `${start} (${number})${extension}`;
  used.add(free.toLowerCase());
  return free;
};

/**
 * A time whose local parts are those in UTC. A ZIP file has no time zone (APPNOTE, section 4.4.6), and the library writes
 * the machine's local time. Another time with these parts would not do: an hour that the zone leaves out has none.
 */
class DateInUtc extends Date {
  override getFullYear = (): number => this.getUTCFullYear();
  override getMonth = (): number => this.getUTCMonth();
  override getDate = (): number => this.getUTCDate();
  override getHours = (): number => this.getUTCHours();
  override getMinutes = (): number => this.getUTCMinutes();
  override getSeconds = (): number => this.getUTCSeconds();
}

/**
 * A ZIP archive as a stream, of any size and number of files (ZIP64 where it needs it). One file is open at a time, and
 * only as fast as the archive is read.
 * @param at the time of all files, which they have in UTC, so that the same files give the same bytes
 * @throws in the stream what `open` throws
 */
export const archive = (files: Iterable<ArchivedFile>, at: Date): Readable => {
  const zip = new yazl.ZipFile();
  const mtime = new DateInUtc(at);
  // The library declares an older interface; it is a PassThrough.
  const output = zip.outputStream as PassThrough;
  const fail = (error: unknown) => output.destroy(error as Error);
  zip.on('error', fail);
  const addAll = async () => {
    const used = new Set<string>();
    for (const { path, open, isCompressed } of files) {
      const content = await open();
      if (content === undefined) continue;
      const stream = content instanceof Uint8Array ? Readable.from([content]) : content;
      // When the archive is given up, nobody reads the rest of the file.
      const close = () => stream.destroy();
      output.once('close', close);
      const options = { mtime, compress: !isCompressed, forceDosTimestamp: true };
      zip.addReadStream(stream, unusedPath(path, used), options);
      await finished(stream);
      output.off('close', close);
    }
    zip.end();
  };
  addAll().catch(fail);
  return output;
};

import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

type Done<Result> = (error: Error | null, result: Result) => void;

const promised = <Result>(call: (done: Done<Result>) => void): Promise<Result> =>
  new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result)));
  });

/** The files of a ZIP archive by their paths, as a reader that is not ours finds them. @throws Error for a broken one */
export const unzipped = async (bytes: Uint8Array): Promise<Map<string, Buffer>> => {
  const zip = await promised<ZipFile>((done) => fromBuffer(Buffer.from(bytes), { lazyEntries: true }, done));
  const files = new Map<string, Buffer>();
  const read = async (entry: Entry): Promise<void> => {
    const stream = await promised<Readable>((done) => zip.openReadStream(entry, done));
    files.set(entry.fileName, await buffer(stream));
    zip.readEntry();
  };
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => void read(entry).catch(reject));
    zip.once('end', resolve).once('error', reject);
    zip.readEntry();
  });
  return files;
};

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { archive, type ArchivedFile } from '../../../shared/reports/formats/archive.ts';
import { unzipped } from '../../support/archives.ts';

const AT = new Date('2027-03-01T10:00:00.000Z');

const text = (path: string, content: string): ArchivedFile => ({
  path,
  open: async () => Buffer.from(content),
  isCompressed: false,
});

describe('an archive', () => {
  it('holds its files in order, under names that are used once in any case', async () => {
    const files = [
      text('a/Photo.jpg', '1'),
      text('a/photo.JPG', '2'),
      text('a/photo.jpg', '3'),
      text('检查', '4'),
    ];
    const bytes = await buffer(archive(files, AT));
    expect([...(await unzipped(bytes))].map(([name, content]) => [name, content.toString()])).toEqual([
      ['a/Photo.jpg', '1'],
      ['a/photo (2).JPG', '2'],
      ['a/photo (3).jpg', '3'],
      ['检查', '4'],
    ]);
  });

  it('has the same bytes for the same files', async () => {
    const made = () => buffer(archive([text('a', 'x'.repeat(1_000))], AT));
    expect((await made()).equals(await made())).toBe(true);
  });

  it('has the same bytes in every time zone, also in an hour that one of them leaves out', async () => {
    const script = `
      import { buffer } from 'node:stream/consumers';
      import { archive } from '${pathToFileURL(resolve('shared/reports/formats/archive.ts')).href}';
      const file = { path: 'a', open: async () => Buffer.from('x'), isCompressed: false };
      const made = await buffer(archive([file], new Date('2026-03-29T02:30:00.000Z')));
      process.stdout.write(made.toString('base64'));`;
    const run = promisify(execFile);
    const made = ['UTC', 'Europe/Berlin', 'Pacific/Kiritimati'].map(async (TZ) => {
      const options = ['--input-type=module', '--eval', script];
      const { stdout } = await run(process.execPath, options, { env: { ...process.env, TZ } });
      return stdout;
    });
    const [inUtc, ...others] = await Promise.all(made);
    expect((await unzipped(Buffer.from(inUtc!, 'base64'))).get('a')?.toString()).toBe('x');
    for (const other of others) expect(other).toBe(inUtc);
  });

  it('opens a file only when the one before it is written', async () => {
    let open = 0;
    let most = 0;
    const large = (path: string): ArchivedFile => ({
      path,
      isCompressed: true,
      open: async () => {
        most = Math.max(most, (open += 1));
        const stream = Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(10_000)));
        return stream.once('close', () => (open -= 1));
      },
    });
    await buffer(archive(['a', 'b', 'c', 'd'].map(large), AT));
    expect(most).toBe(1);
  });

  it('leaves out a file that does not exist any more', async () => {
    const gone: ArchivedFile = { ...text('b', ''), open: async () => undefined };
    const bytes = await buffer(archive([text('a', '1'), gone, text('b', '2')], AT));
    expect([...(await unzipped(bytes)).keys()]).toEqual(['a', 'b']);
  });

  it('closes the file that is open when nobody reads the archive any more', async () => {
    const endless = Readable.from(
      (async function* () {
        for (;;) yield Buffer.alloc(100_000);
      })(),
    );
    const output = archive([{ ...text('a', ''), isCompressed: true, open: async () => endless }], AT);
    await once(output, 'readable');
    output.destroy();
    await once(endless, 'close');
    expect(endless.destroyed).toBe(true);
  });

  it('fails when a file cannot be opened, or breaks off', async () => {
    const missing: ArchivedFile = { ...text('b', ''), open: () => Promise.reject(new Error('gone')) };
    await expect(buffer(archive([text('a', '1'), missing], AT))).rejects.toThrow('gone');
    const broken = new Readable({
      read() {
        this.destroy(new Error('broke off'));
      },
    });
    const breaking: ArchivedFile = { ...text('b', ''), open: async () => broken };
    await expect(buffer(archive([breaking], AT))).rejects.toThrow('broke off');
  });
});

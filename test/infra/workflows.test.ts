import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';

const FOLDER = join(ROOT, '.github/workflows');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

describe('the workflows', () => {
  test.each(readdirSync(FOLDER))('%s takes each action by its hash, with its release beside it', (file) => {
    const used = [...read(file).matchAll(/uses: *(.+)$/gm)].map(([, action]) => action!);
    expect(used).not.toEqual([]);
    expect(used.filter((action) => !/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/.test(action))).toEqual([]);
  });

  test('run the lanes that admit a change', () => {
    const [, lanes] = /^lanes=\((.+)\)$/m.exec(readFileSync(join(ROOT, '.ci/run'), 'utf8'))!;
    const [, matrix] = /lane:\s*\[([^\]]+)\]/.exec(read('lanes.yml'))!;
    expect(matrix!.match(/[\w:-]+/g)).toEqual(lanes!.split(' '));
  });
});

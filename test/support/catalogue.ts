import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type OperationEntry } from '../../infra/catalogue.ts';

/** Every operation. It is synchronous, because jest needs the names of the tests before it can wait for anything. */
export const operationEntries = (): OperationEntry[] =>
  readdirSync(join(ROOT, 'functions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `functions/${name.replaceAll('\\', '/')}`)
    .toSorted()
    .flatMap((file) => {
      const { operation, handler } = jest.requireActual<OperationEntry>(join(ROOT, file));
      return operation ? [{ file, area: file.split('/')[1]!, operation, handler }] : [];
    });

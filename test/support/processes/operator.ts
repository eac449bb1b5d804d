import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { run } from '../../../infra/operator/run.ts';

const CLI = join(import.meta.dirname, '../../../infra/operator/cli.ts');

/** What a command has left when it has ended. */
export interface Ended {
  code: number;
  out: string;
  complained: string;
}

/** Runs a command of the operator's command line as a process, over the table of the test file. */
export const operator = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env: process.env }, (error, out, complained) => {
      resolve({ code: Number(error?.code ?? 0), out, complained });
    });
  });

/** Runs a command of the operator's command line within the test, as its process does. */
export const operatorWithin = async (...args: string[]): Promise<Ended> => {
  let [out, complained] = ['', ''];
  const code = await run(args, {
    out: (text) => (out += text),
    complain: (text) => (complained += text),
  });
  return { code, out, complained };
};

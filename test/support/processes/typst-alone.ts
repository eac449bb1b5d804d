import { readFileSync } from 'node:fs';
import { layOut } from '../../../shared/reports/pdf/typst.ts';

/** Draws the report in a workspace by Typst's own calls. Prints their milliseconds and the most memory in MB. */
const [folder = '.'] = process.argv.slice(2);
const start = performance.now();
const { compiler, document, job } = layOut(folder);
compiler.pdf(document, { pdfStandard: 'a-3a', creationTimestamp: job.createdAt });
const ms = performance.now() - start;
const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))!;
process.stdout.write(JSON.stringify({ ms, mb: Number(kilobytes) / 1024 }));

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const PARTS: Record<string, () => Promise<{ measure: (scale: number) => Promise<void> }>> = {
  handler: () => import('./handler.ts'),
  cold: () => import('./cold.ts'),
  growth: () => import('./growth.ts'),
  paging: () => import('./paging.ts'),
  templates: () => import('./templates.ts'),
  inspections: () => import('./inspections.ts'),
  findings: () => import('./findings.ts'),
  numbers: () => import('./numbers.ts'),
  answers: () => import('./answers.ts'),
  batch: () => import('./batch.ts'),
  reports: () => import('./reports.ts'),
  bulk: () => import('./bulk.ts'),
  schedules: () => import('./schedules.ts'),
  integrations: () => import('./integrations.ts'),
  fair: () => import('./fair.ts'),
  tenants: () => import('./tenants.ts'),
};

// The lines of the handlers would stand between the tables.
process.env['LOG_LEVEL'] ??= 'silent';

const names = Object.keys(PARTS);
/** `--scale 0.1` makes the larger organizations a tenth as large, for a quick measurement. */
const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' } },
});
const unknown = asked.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  process.stderr.write(`Unknown part: ${unknown.join(', ')}. The parts are ${names.join(', ')}.\n`);
  process.exitCode = 1;
} else if (asked.length === 1) {
  const { measure } = await PARTS[asked[0]!]!();
  await measure(Number(values.scale));
} else {
  // Each part runs in its own process, so that no part pays for the compiling, caching or garbage of another.
  const failed = (asked.length > 0 ? asked : names).filter(
    (name) =>
      spawnSync(process.execPath, [import.meta.filename, name, '--scale', values.scale], { stdio: 'inherit' })
        .status !== 0,
  );
  if (failed.length > 0) {
    process.stderr.write(`failed: ${failed.join(', ')}\n`);
    process.exitCode = 1;
  }
}

import { spawnSync } from 'node:child_process';

const PARTS: Record<string, () => Promise<{ measure: () => Promise<void> }>> = {
  handler: () => import('./handler.ts'),
  cold: () => import('./cold.ts'),
  calls: () => import('./calls.ts'),
  growth: () => import('./growth.ts'),
  paging: () => import('./paging.ts'),
};

const names = Object.keys(PARTS);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  process.stderr.write(`no part ${unknown.join(', ')}; there are ${names.join(', ')}\n`);
  process.exitCode = 1;
} else if (asked.length === 1) {
  const { measure } = await PARTS[asked[0]!]!();
  await measure();
} else {
  // A process each: what one part has compiled, cached or collected is not another's to pay for.
  const failed = (asked.length > 0 ? asked : names).filter(
    (name) => spawnSync(process.execPath, [import.meta.filename, name], { stdio: 'inherit' }).status !== 0,
  );
  if (failed.length > 0) {
    process.stderr.write(`failed: ${failed.join(', ')}\n`);
    process.exitCode = 1;
  }
}

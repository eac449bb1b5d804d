import { startEngines } from '../../../infra/local/engines.ts';

// Runs on Node itself, beside jest: one engine for all test files. Each file has its own organizations, so the files do
// not affect each other.
const engine = process.env['ENGINE'] === 'dynamodb-local' ? ('dynamodb-local' as const) : undefined;
const engines = await startEngines({ dataDir: null, engine, isGuarded: false });
process.stdout.write(`${JSON.stringify(engines.environment)}\n`);
process.stdin.resume().once('end', () => void engines.stop().then(() => process.exit(0)));

import { createRequire } from 'node:module';
import { json } from 'node:stream/consumers';

// Runs a bundled function as Lambda does: in a process that has only its folder and its variables.
const [, , module] = process.argv;
const { handler } = createRequire(import.meta.url)(module!);
const context = { getRemainingTimeInMillis: () => 28_000 };
process.stdout.write(JSON.stringify(await handler(await json(process.stdin), context)));

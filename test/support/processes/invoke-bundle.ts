import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

// Runs a bundled function as Lambda does: in a process that has only its folder and its variables.
const [, , module] = process.argv;
const { handler } = await import(pathToFileURL(module!).href);
process.stdout.write(
  JSON.stringify(await handler(await json(process.stdin), { getRemainingTimeInMillis: () => 60_000 })),
);

import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

// Runs a bundled function as Lambda would: in a process that knows nothing but its folder and its variables.
const [, , module] = process.argv;
const { handler } = await import(pathToFileURL(module!).href);
process.stdout.write(JSON.stringify(await handler(await json(process.stdin), {})));

import { newCallers, serveAll } from '../tenants.ts';

/* Serves `requests` of so many `organizations`, twenty at a time, by the AWS that the variables name. */
const [organizations, requests] = process.argv.slice(2).map(Number);
await serveAll(newCallers(organizations!), requests!, 20);

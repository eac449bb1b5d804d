import { firstRequests } from './first.ts';

// Usage: node infra/openapi/print-first.ts createLocation createRegion

process.stdout.write(JSON.stringify(await firstRequests(process.argv.slice(2))));

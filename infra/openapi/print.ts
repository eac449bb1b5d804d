import { loadCatalogue } from '../catalogue.ts';
import { openApiDocument } from './document.ts';

// Usage: npm run --silent openapi -- https://api.example.org > openapi.json
const [baseUrl] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(openApiDocument(await loadCatalogue(), baseUrl), null, 2)}\n`);

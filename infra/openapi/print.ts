import { loadCatalogue } from '../catalogue.ts';
import { openApiDocument } from './document.ts';

// Usage: npm run --silent openapi -- https://api.example.org https://app.example.org > openapi.json
const [baseUrl, peopleUrl] = process.argv.slice(2);
const document = openApiDocument(await loadCatalogue(), baseUrl, peopleUrl);
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);

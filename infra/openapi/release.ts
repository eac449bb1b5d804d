import { loadCatalogue } from '../catalogue.ts';
import { openApiDocument } from './document.ts';
import { release } from './released.ts';

/*
 * The last part of `npm run freeze`: what the release promises its clients.
 */

release(openApiDocument(await loadCatalogue()));

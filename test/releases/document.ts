import { loadCatalogue } from '../../infra/catalogue.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import { DOCUMENT, freeze, RELEASE } from './frozen.ts';

/*
 * The third part of `npm run freeze`: the OpenAPI document of the release.
 */

freeze(RELEASE, DOCUMENT, [JSON.stringify(openApiDocument(await loadCatalogue()))]);

import type { IncomingMessage, ServerResponse } from 'node:http';
import { UPLOADS_FROM_PAGES } from '../limits.ts';
import { passOn } from './door.ts';

/** Where the stored files are below the service, as `FILES_PATH` tells those who sign URLs. */
export const FILES_PATH = 'files';

const ROOT = `/${FILES_PATH}`;

/**
 * Answers for the storage below the service's own origin, so that browsers take its files for part of the pages that
 * show them, under whatever name the service is called. Pages of this machine may send files from other origins, as the
 * bucket's own rules allow (Fetch Standard, "CORS protocol"): the engine knows no such rules.
 * @param endpoint where the storage's engine is
 */
export const filesMount = (
  endpoint: () => string,
): Record<string, (request: IncomingMessage, response: ServerResponse) => void> => ({
  [ROOT]: (request, response) => {
    // The gateway has judged where the request comes from; the engine would ask for a name of its own machine.
    const { origin, host: _host, 'sec-fetch-site': _site, ...headers } = request.headers;
    if (origin !== undefined) response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS' && origin !== undefined) {
      const { method, headers: allowed, maxAge } = UPLOADS_FROM_PAGES;
      response.writeHead(204, {
        'access-control-allow-methods': method,
        'access-control-allow-headers': allowed.join(', '),
        'access-control-max-age': String(maxAge),
      });
      response.end();
      return;
    }
    const target = new URL(endpoint());
    const path = request.url!.slice(ROOT.length) || '/';
    passOn(request, response, target, { path, headers: { ...headers, host: target.host } });
  },
});

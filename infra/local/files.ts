import type { IncomingMessage, ServerResponse } from 'node:http';
import { UPLOADS_FROM_PAGES } from '../limits.ts';
import { passOn } from './door.ts';
import { formRefusal, type Refusal, refusalXml, urlRefusal } from './file-signatures.ts';

/** Where the stored files are below the service, as `FILES_PATH` tells those who sign URLs. */
export const FILES_PATH = 'files';

const ROOT = `/${FILES_PATH}`;

/** Bytes of a form with a file. Forms of pages are far smaller; each is held in memory until its signature is checked. */
const MAX_FORM_BYTES = 64 * 1024 * 1024;

const TOO_LARGE: Refusal = {
  status: 400,
  code: 'EntityTooLarge',
  message: 'Your proposed upload exceeds the maximum allowed size',
};

const NO_FORM: Refusal = {
  status: 400,
  code: 'MalformedPOSTRequest',
  message: 'The body of your POST request is not well-formed multipart/form-data.',
};

const refuse = (request: IncomingMessage, response: ServerResponse, refusal: Refusal): void => {
  // The unread rest of a body would be taken for the next request on this connection.
  response.shouldKeepAlive = false;
  request.resume();
  response.writeHead(refusal.status, { 'content-type': 'application/xml' });
  response.end(request.method === 'HEAD' ? undefined : refusalXml(refusal));
};

/** The body of a request; undefined when it is too large. */
const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FORM_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Reads a form and checks its signature. @returns its bytes, or why it is refused */
const checkedForm = async (request: IncomingMessage, path: string): Promise<Buffer | Refusal> => {
  const body = await bodyOf(request);
  if (!body) return TOO_LARGE;
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => undefined);
  if (!form) return NO_FORM;
  const bucket = decodeURIComponent(path.split('?', 1)[0]!.replaceAll(/^\/|\/$/g, ''));
  return (await formRefusal(form, bucket, Date.now())) ?? body;
};

/**
 * Answers for the storage below the service's own origin, so that browsers take its files for part of the pages that
 * show them, under whatever name the service is called. Pages of this machine may send files from other origins, as the
 * bucket's own rules allow (Fetch Standard, "CORS protocol"): the engine knows no such rules. It checks no signatures
 * either, so only what is signed and has not ended is passed on.
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
    const passed = { path, headers: { ...headers, host: target.host } };
    const answer = async (): Promise<void> => {
      if (request.method === 'POST') {
        const form = await checkedForm(request, path);
        if (form instanceof Uint8Array) passOn(request, response, target, { ...passed, body: form });
        else refuse(request, response, form);
        return;
      }
      const signed = { method: request.method!, path, headers };
      const refusal = await urlRefusal(signed, target.host, Date.now());
      if (refusal) refuse(request, response, refusal);
      else passOn(request, response, target, passed);
    };
    answer().catch(() => response.destroy());
  },
});

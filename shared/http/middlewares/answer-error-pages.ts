import { errorOf } from '../lambda.ts';
import { errorPage } from '../pages/error-page.ts';
import { pageHeaders, PRIVATE_HEADERS, pageText } from '../pages/page.ts';
import { json } from '../reply/reply.ts';
import { prefersPage, readerLanguage } from '../request/event.ts';
import type { Middleware } from './chain.ts';

/**
 * Writes the reply of every error of a page: a page for a browser, `{"detail": …}` for a program, such as a mail server
 * that ends a subscription. Status and code are the same.
 */
export const answerErrorPages = (): Middleware => ({
  onError: (request) => {
    const { event } = request;
    const { status, code, detail } = errorOf(request);
    const headers = { 'x-error-code': code };
    if (!prefersPage(event)) {
      request.response = json(status, JSON.stringify({ detail }), { ...headers, ...PRIVATE_HEADERS });
      return;
    }
    const language = readerLanguage(event);
    const page = errorPage(language, { status, code }, request.internal.visit?.organization);
    request.response = {
      statusCode: status,
      headers: { ...pageHeaders(language, page), ...headers },
      body: pageText(language, page),
    };
  },
});

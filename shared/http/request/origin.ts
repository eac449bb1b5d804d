import type { APIGatewayProxyEvent } from 'aws-lambda';
import { environment } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { header } from './headers.ts';

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

/** The names by which a browser knows the service: the one that it asked, and that of a custom domain. */
const ownHosts = (event: APIGatewayProxyEvent): (string | undefined)[] => [
  header(event, 'host'),
  hostOf(environment('PUBLIC_URL')),
];

/**
 * Refuses a change that a page of somebody else sends, or nobody's page: browsers name the origin of every request that is
 * no GET (Fetch Standard, "append a request `Origin` header"). A page of ours that keeps its address to itself names
 * none, but says that it is of the same origin; no page can claim that.
 * @throws ApiError 403
 */
export const checkOrigin = (event: APIGatewayProxyEvent): void => {
  if (event.httpMethod === 'GET') return;
  const origin = header(event, 'origin') ?? '';
  const isOurs =
    origin === 'null'
      ? header(event, 'sec-fetch-site') === 'same-origin'
      : ownHosts(event).includes(hostOf(origin)) && hostOf(origin) !== undefined;
  if (!isOurs) throw errors.foreignOrigin();
};

import { inShell } from '../../../../shared/base/text.ts';
import type { LoggedRequest } from '../../../../shared/schemas/logged-request.ts';
import { addressOf } from '../page.ts';

/** Methods whose requests carry a body, which is not kept. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** How a request is made again from a shell. What was not kept of it stands there by its name. */
export const curlOf = ({
  method,
  path,
  params,
  query,
  on_behalf_of: person,
}: Pick<LoggedRequest, 'method' | 'path' | 'params' | 'query' | 'on_behalf_of'>): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole);
  const search = Object.entries(query)
    .flatMap(([name, values]) =>
      values.length > 0
        ? values.map((value) => `${name}=${encodeURIComponent(value)}`)
        : [`${name}={${name}}`],
    )
    .join('&');
  return [
    `curl -i --globoff -X ${method} ${inShell(`${location.origin}${addressOf(filled)}${search && `?${search}`}`)}`,
    '-H "Authorization: Bearer $API_KEY"',
    ...(person === null ? [] : [`-H 'On-Behalf-Of: ${person}'`]),
    ...(WITH_BODY.has(method) ? ["-H 'Content-Type: application/json' --data @body.json"] : []),
  ].join(' \\\n  ');
};

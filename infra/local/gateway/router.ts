import { routesOf } from '../../../shared/http/operation/surface.ts';
import type { OperationEntry } from '../../catalogue.ts';
import type { MatchedPath } from '../event.ts';

/** Where a request leads. */
export interface Route extends MatchedPath {
  entry: OperationEntry;
}

/** Finds the operation for a method and a path that is still URL-encoded. Undefined when there is none. */
export type Router = (method: string, path: string) => Route | undefined;

/**
 * Routes like API Gateway: a literal segment wins over a parameter, the path alone selects the resource, and only
 * then the method selects the operation: HEAD that of GET. A parameter is one segment and never empty.
 */
export const newRouter = (operations: readonly OperationEntry[]): Router => {
  const routes = operations.flatMap((entry) =>
    routesOf(entry.operation).map(({ path }) => ({ entry, path })),
  );
  const resources = Object.entries(Object.groupBy(routes, ({ path }) => path))
    // In ASCII, `{` sorts after every character of a literal segment, so literal segments come first.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, found = []]) => ({
      resource,
      pattern: new RegExp(`^${resource.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
      entries: new Map(found.map(({ entry }) => [entry.operation.method as string, entry])),
    }));
  return (method, path) => {
    for (const { resource, pattern, entries } of resources) {
      const match = pattern.exec(path);
      if (!match) continue;
      const entry = entries.get(method === 'HEAD' ? 'GET' : method);
      if (!entry) return undefined;
      return { entry, resource, params: { ...match.groups } };
    }
    return undefined;
  };
};

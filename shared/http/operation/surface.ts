/**
 * Where an endpoint is called: `v1` with an API key, `app` with the session of a signed-in person, `browser` by a step of
 * the sign-in, `page` by whoever has a link, `asset` by the pages. Everything that depends on the surface asks here.
 */
export type Surface = 'v1' | 'app' | 'browser' | 'page' | 'asset';

/** Where the paths of a surface begin. */
const ROOTS = { v1: '/v1', app: '/app', browser: '/app', page: '', asset: '' } as const satisfies Record<
  Surface,
  string
>;

/** One way to an endpoint. */
export interface Route {
  surface: Surface;
  /** The whole path, with `{names}`. */
  path: string;
}

/** Whether an operation is a page that a link opens: it says what the links are for. */
export const isPublic = <Op extends object>(operation: Op): operation is Extract<Op, { link: unknown }> =>
  'link' in operation;

/** Whether an operation hands out a file that pages load. */
export const isAsset = <Op extends object>(operation: Op): operation is Extract<Op, { loadedBy: unknown }> =>
  'loadedBy' in operation;

/** Whether an operation is a step of the sign-in, which a browser takes before there is a session. */
export const isBrowserStep = <Op extends object>(
  operation: Op,
): operation is Extract<Op, { surface: 'browser' }> =>
  'surface' in operation && operation.surface === 'browser';

/** Whether an operation is called by signed-in people alone, and with no API key. */
export const isAppOnly = (operation: object): boolean =>
  'surface' in operation && operation.surface === 'app';

/** What a declaration says about its routes. */
interface Declared {
  path: string;
  app?: { path: string };
}

const surfaceOf = (operation: object): Surface => {
  if (isPublic(operation)) return 'page';
  if (isAsset(operation)) return 'asset';
  if (isBrowserStep(operation)) return 'browser';
  return isAppOnly(operation) ? 'app' : 'v1';
};

/** All routes of an endpoint. One of `/v1` may have a second one, by which signed-in people call it. */
export const routesOf = (operation: Declared): [Route, ...Route[]] => {
  const surface = surfaceOf(operation);
  const second: Route[] = operation.app ? [{ surface: 'app', path: ROOTS.app + operation.app.path }] : [];
  return [{ surface, path: ROOTS[surface] + operation.path }, ...second];
};

/** The path of an endpoint, with that of its surface: the first one where it has two. */
export const routeOf = (operation: Declared): string => routesOf(operation)[0].path;

/** Whether a request came by a route of the app. @param resource its path, with `{names}` */
export const isAppRoute = (resource: string): boolean => resource.startsWith(`${ROOTS.app}/`);

/**
 * Who calls an endpoint: `v1` a client with an API key, `app` a signed-in person with a session, `admin` the browser
 * that opens the admin app, `browser` a step of the sign-in, `page` anybody with a link, `asset` the pages, `probe` a
 * monitor. Everything that depends on the surface asks here.
 */
export type Surface = 'v1' | 'app' | 'admin' | 'browser' | 'page' | 'asset' | 'probe';

/** Where the paths of a surface begin. */
const ROOTS = {
  v1: '/v1',
  app: '/app',
  admin: '',
  browser: '/app',
  page: '',
  asset: '',
  probe: '',
} as const satisfies Record<Surface, string>;

/** Who calls an API: programs with a key, or people with a browser. In the cloud each has a host of its own. */
export type Audience = 'machines' | 'people';

/** Whose API has the routes of a surface. */
export const audienceOf = ({ surface }: Pick<Route, 'surface'>): Audience =>
  surface === 'v1' ? 'machines' : 'people';

/** One way to an endpoint. */
export interface Route {
  surface: Surface;
  /** The whole path, with `{names}`. */
  path: string;
}

/** Whether an operation is a page that a link opens. Such an operation declares the purpose of its links. */
export const isPublic = <Op extends object>(operation: Op): operation is Extract<Op, { link: unknown }> =>
  'link' in operation;

/** Whether an operation returns a file that pages load. */
export const isAsset = <Op extends object>(operation: Op): operation is Extract<Op, { loadedBy: unknown }> =>
  'loadedBy' in operation;

/** Whether an operation is a step of the sign-in, which a browser takes before there is a session. */
export const isBrowserStep = <Op extends object>(
  operation: Op,
): operation is Extract<Op, { surface: 'browser' }> =>
  'surface' in operation && operation.surface === 'browser';

/** Whether an operation is the page of the admin app, which signed-in people open. */
export const isAdminPage = <Op extends object>(
  operation: Op,
): operation is Extract<Op, { surface: 'admin' }> => 'surface' in operation && operation.surface === 'admin';

/** Whether an operation says that the service runs. It reaches no data, and asks nobody who they are. */
export const isProbe = <Op extends object>(operation: Op): operation is Extract<Op, { surface: 'probe' }> =>
  'surface' in operation && operation.surface === 'probe';

/** Whether only signed-in people can call an operation, and no API key. */
export const isAppOnly = (operation: object): boolean =>
  'surface' in operation && operation.surface === 'app';

/**
 * Whether the service refuses a request without the header `Origin`, and one with the origin of another page: whatever
 * signed-in people change. Requests by a session are the only ones that a browser sends with a credential of its own.
 */
export const checksOrigin = (operation: { method: string }): boolean =>
  isAppOnly(operation) && operation.method !== 'GET';

/** What a declaration says about its routes. */
interface Declared {
  path: string;
  app?: { path: string };
  people?: readonly string[];
  alsoAt?: readonly string[];
}

const surfaceOf = (operation: object): Surface => {
  if (isPublic(operation)) return 'page';
  if (isAsset(operation)) return 'asset';
  if (isBrowserStep(operation)) return 'browser';
  if (isAdminPage(operation)) return 'admin';
  if (isProbe(operation)) return 'probe';
  return isAppOnly(operation) ? 'app' : 'v1';
};

/** Where signed-in people call an operation of `/v1`, below `/app`: at a path of its own, or at the same one. */
const peoplePathOf = ({ path, app, people }: Declared): string | undefined =>
  app?.path ?? (people && ROOTS.v1 + path);

/**
 * All routes of an endpoint. One of `/v1` may have a second one, by which signed-in people call it; the page of the
 * admin app has some for its tabs and what they show.
 */
export const routesOf = (operation: Declared): [Route, ...Route[]] => {
  const surface = surfaceOf(operation);
  const { path, alsoAt = [] } = operation;
  const peoplePath = peoplePathOf(operation);
  const seconds: Route[] = [
    ...(peoplePath ? [{ surface: 'app' as const, path: ROOTS.app + peoplePath }] : []),
    ...alsoAt.map((second) => ({ surface, path: ROOTS[surface] + second })),
  ];
  return [{ surface, path: ROOTS[surface] + path }, ...seconds];
};

/** The path of an endpoint, with that of its surface: the first one where it has two. */
export const routeOf = (operation: Declared): string => routesOf(operation)[0].path;

/** Whether a request came by a route of the app. @param resource its path, with `{names}` */
export const isAppRoute = (resource: string): boolean => resource.startsWith(`${ROOTS.app}/`);

/**
 * Whether an `Idempotency-Key` applies: the operation is a POST of `/v1` that changes something. A POST that only
 * reads can be repeated in any case. Its reply is not stored, because a read-only key may not write.
 */
export const isRepeatable = (operation: { method: string; access: string }): boolean =>
  operation.method === 'POST' && operation.access !== 'read' && !isAppOnly(operation);

/**
 * Whether an operation is a page that a link opens, and not one that is called with an API key: it says what the links
 * are for. Everything that depends on the surface asks here.
 */
export const isPublic = <Op extends object>(operation: Op): operation is Extract<Op, { link: unknown }> =>
  'link' in operation;

/** The path of an endpoint, with that of its surface. */
export const routeOf = (operation: { path: string }): string =>
  `${isPublic(operation) ? '' : '/v1'}${operation.path}`;

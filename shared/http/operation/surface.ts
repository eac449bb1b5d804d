/*
 * Everything that depends on the surface of an operation asks here. Each surface has a member of its declaration that no
 * other has.
 */

/** Whether an operation is a page that a link opens: it says what the links are for. */
export const isPublic = <Op extends object>(operation: Op): operation is Extract<Op, { link: unknown }> =>
  'link' in operation;

/** Whether an operation hands out a file that pages load. */
export const isAsset = <Op extends object>(operation: Op): operation is Extract<Op, { loadedBy: unknown }> =>
  'loadedBy' in operation;

/** Whether an operation is called with an API key. */
export const isKeyed = <Op extends object>(operation: Op): operation is Extract<Op, { access: unknown }> =>
  'access' in operation;

/** The path of an endpoint, with that of its surface. */
export const routeOf = (operation: { path: string }): string =>
  `${isPublic(operation) || isAsset(operation) ? '' : '/v1'}${operation.path}`;

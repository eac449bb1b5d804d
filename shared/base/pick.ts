/** These fields of a resource, as far as it has them. */
export const pick = <Resource extends object, Name extends keyof Resource>(
  resource: Resource,
  names: readonly Name[],
): Pick<Resource, Name> =>
  Object.fromEntries(names.filter((name) => name in resource).map((name) => [name, resource[name]])) as Pick<
    Resource,
    Name
  >;

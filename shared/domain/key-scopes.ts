import type { KeyScope } from '../schemas/api-key.ts';

/**
 * The scope that an operation of `/v1` needs: how its path begins, and whether it writes.
 * @param path such as `/inspections/{inspection_id}`
 * @returns undefined for what every key may use: what is about the caller itself
 */
export const scopeFor = ({
  path,
  access,
}: {
  path: string;
  access: 'read' | 'write' | 'person';
}): KeyScope | undefined => {
  const area = path.split('/')[1];
  if (area === 'me') return undefined;
  return `${area}:${access === 'write' ? 'write' : 'read'}` as KeyScope;
};

/** Whether one of a key's scopes includes another one: `issues:write` includes `issues:read`. */
export const allows = (scopes: readonly string[], needed: KeyScope): boolean =>
  scopes.includes(needed) || scopes.includes(needed.replace(/:read$/, ':write'));

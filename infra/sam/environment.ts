import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Template {
  Resources: Record<
    string,
    { Type: string; Properties?: { Environment?: { Variables: Record<string, unknown> } } }
  >;
}

/** Variables that stay empty: the emulators have no tenant role. A function then uses its own credentials. */
const TENANT_VARIABLES = new Set(['TENANT_ROLE_ARN', 'TENANT_SESSION_POLICY']);

/** The addresses of the engines. A template leaves them empty, because in the cloud the SDK knows them. */
const ENDPOINT = /^AWS_ENDPOINT_URL/;

/** The templates of a synthesized app, including those of nested stacks. */
export const templatesIn = (folder: string): Template[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Template);

/**
 * The values for `sam local … --env-vars`: by the logical id of a function, the variables to which its template gives
 * no fixed value.
 * @param host replaces loopback addresses; a container reaches the machine that it runs on by this name
 * @throws Error that names the variables missing in `environment`
 */
export const samVariables = (
  templates: readonly Template[],
  environment: Readonly<Record<string, string | undefined>>,
  host: string,
): Record<string, Record<string, string>> => {
  const missing = new Set<string>();
  const valueOf = (name: string, inTemplate: unknown): string => {
    if (TENANT_VARIABLES.has(name)) return '';
    const value = environment[name] ?? (ENDPOINT.test(name) ? environment['AWS_ENDPOINT_URL'] : '');
    // What else a template leaves empty is a setting that a deployment may be without.
    if (!value && (inTemplate !== '' || ENDPOINT.test(name))) missing.add(name);
    return (value ?? '').replace(/^(https?:\/\/)(127\.0\.0\.1|localhost|\[::1\])(?=[:/]|$)/, `$1${host}`);
  };
  const functions = templates
    .flatMap(({ Resources }) => Object.entries(Resources))
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([logicalId, { Properties }]) => {
      const variables = Object.entries(Properties?.Environment?.Variables ?? {})
        .filter(([name, value]) => typeof value !== 'string' || value === '' || TENANT_VARIABLES.has(name))
        .map(([name, value]) => [name, valueOf(name, value)] as const);
      return [logicalId, Object.fromEntries(variables)] as const;
    });
  if (missing.size > 0)
    throw new Error(
      `set these variables to the resources that the functions use: ${[...missing].toSorted().join(', ')}`,
    );
  return Object.fromEntries(functions);
};

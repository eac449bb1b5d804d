import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Template {
  Resources: Record<
    string,
    { Type: string; Properties?: { Environment?: { Variables: Record<string, unknown> } } }
  >;
}

/** Without them a function works on all rows with its own credentials, as the emulators expect. */
const TENANCY = new Set(['TENANT_ROLE_ARN', 'TENANT_SESSION_POLICY']);

/** The templates of a synthesized app, the nested ones included. */
export const templatesIn = (folder: string): Template[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Template);

/**
 * What `sam local … --env-vars` takes: by function (logical id) the values of the variables that its template
 * leaves to the deployment. Loopback addresses become `host`, by which a container reaches the machine it is on.
 * @throws Error naming the variables that `environment` lacks.
 */
export const samVariables = (
  templates: readonly Template[],
  environment: Readonly<Record<string, string | undefined>>,
  host: string,
): Record<string, Record<string, string>> => {
  const missing = new Set<string>();
  const valueOf = (name: string): string => {
    if (TENANCY.has(name)) return '';
    const value =
      environment[name] ?? (name.startsWith('AWS_ENDPOINT_URL') ? environment['AWS_ENDPOINT_URL'] : '');
    if (!value) missing.add(name);
    return (value ?? '').replace(/^(https?:\/\/)(127\.0\.0\.1|localhost|\[::1\])(?=[:/]|$)/, `$1${host}`);
  };
  const functions = templates
    .flatMap(({ Resources }) => Object.entries(Resources))
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([logicalId, { Properties }]) => {
      const open = Object.entries(Properties?.Environment?.Variables ?? {})
        .filter(([name, value]) => typeof value !== 'string' || value === '' || TENANCY.has(name))
        .map(([name]) => [name, valueOf(name)] as const);
      return [logicalId, Object.fromEntries(open)] as const;
    });
  if (missing.size > 0)
    throw new Error(`set ${[...missing].toSorted().join(', ')} to what the functions shall use`);
  return Object.fromEntries(functions);
};

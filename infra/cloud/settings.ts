import type { App } from 'aws-cdk-lib';

/** What one deployment may choose, each by the context flag of its name (`cdk deploy -c architecture=x86_64`). */
export interface Settings {
  /** Names the stack, the API and every function, so that one account can hold several deployments. */
  prefix: string;
  architecture: Architecture;
  /** Whether functions reach tenants' rows and objects only through a role that IAM binds to one organization. */
  rowLevelSecurity: boolean;
  /** The address that mails come from, which SES has verified, itself or its domain; without it none are sent. */
  mailFrom: string | undefined;
}

export const ARCHITECTURES = ['arm64', 'x86_64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The deployment's settings. @throws Error naming the flag whose value is none it may have. */
export const settingsOf = (app: App): Settings => {
  const flag = (name: keyof Settings, values: readonly string[] | RegExp, fallback: string): string => {
    const value = String(app.node.tryGetContext(name) ?? fallback);
    const isAllowed = values instanceof RegExp ? values.test(value) : values.includes(value);
    if (!isAllowed)
      throw new Error(
        `context flag ${name}=${value} is not ${values instanceof RegExp ? values : values.join(' or ')}`,
      );
    return value;
  };
  return {
    prefix: flag('prefix', /^[a-z][a-z0-9-]{1,23}$/, 'inspection-service'),
    architecture: flag('architecture', ARCHITECTURES, 'arm64') as Architecture,
    rowLevelSecurity: flag('rowLevelSecurity', ['true', 'false'], 'false') === 'true',
    mailFrom: flag('mailFrom', /^([\w.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+)?$/, '') || undefined,
  };
};

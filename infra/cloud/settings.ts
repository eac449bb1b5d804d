import type { App } from 'aws-cdk-lib';

/** The settings of one deployment. Each is a context flag of the same name: `cdk deploy -c architecture=x86_64`. */
export interface Settings {
  /** Begins the names of the stack, the API and every function, so that one account can hold several deployments. */
  prefix: string;
  architecture: Architecture;
  /** Whether functions reach rows and objects only through a role that IAM limits to one organization. */
  rowLevelSecurity: boolean;
  /**
   * Whether the deployment creates the role by which API Gateway writes logs. There is one for all APIs of an account
   * and region, and the new one replaces it.
   */
  cloudWatchRole: boolean;
  /** Whether workers have concurrency of their own, which an account's quota must allow for. */
  reservedConcurrency: boolean;
  /** The sender address of mail. SES must have verified it or its domain. Without it, no mail is sent. */
  mailFrom: string | undefined;
  /** How long a mail waits for what else happens that its recipient is to hear of, in seconds; at most 900. */
  mailWindow: number;
  /** Where people open an inspection, with `{inspection_id}`. Without it, mails have no link to the inspection. */
  inspectionUrl: string | undefined;
  /**
   * The URL of the service in links to its pages, such as that of a custom domain. Without it, links have the URL of the
   * API itself.
   */
  publicUrl: string | undefined;
  /**
   * The issuer of the identity provider that people sign in with (OpenID Connect), and the service's client id there.
   * Without them, the deployment creates a Cognito user pool.
   */
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  /** The name of the secret in Secrets Manager that has the client's secret, where the provider demands one. */
  oidcClientSecret: string | undefined;
  /** Whether API Gateway and the functions send traces to X-Ray, which bills each trace. */
  tracing: boolean;
}

export const ARCHITECTURES = ['arm64', 'x86_64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The deployment's settings. @throws Error that names the flag when its value is not allowed */
export const settingsOf = (app: App): Settings => {
  const flag = (name: keyof Settings, values: readonly string[] | RegExp, fallback: string): string => {
    const value = String(app.node.tryGetContext(name) ?? fallback);
    const isAllowed = values instanceof RegExp ? values.test(value) : values.includes(value);
    if (!isAllowed)
      throw new Error(
        `context flag ${name}=${value} must ${values instanceof RegExp ? `match ${values}` : `be ${values.join(' or ')}`}`,
      );
    return value;
  };
  const isOn = (name: keyof Settings): boolean => flag(name, ['true', 'false'], 'true') === 'true';
  const settings: Settings = {
    prefix: flag('prefix', /^[a-z][a-z0-9-]{1,23}$/, 'inspection-service'),
    architecture: flag('architecture', ARCHITECTURES, 'arm64') as Architecture,
    rowLevelSecurity: isOn('rowLevelSecurity'),
    cloudWatchRole: isOn('cloudWatchRole'),
    reservedConcurrency: isOn('reservedConcurrency'),
    tracing: flag('tracing', ['true', 'false'], 'false') === 'true',
    mailFrom: flag('mailFrom', /^([\w.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+)?$/, '') || undefined,
    mailWindow: Number(flag('mailWindow', /^([1-8]?\d{1,2}|900)$/, '300')),
    inspectionUrl:
      flag('inspectionUrl', /^(https:\/\/[^\s"<>]*\{inspection_id\}[^\s"<>]*)?$/, '') || undefined,
    publicUrl:
      flag('publicUrl', /^(https:\/\/[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(\/[\w-]+)*)?$/, '') || undefined,
    oidcIssuer: flag('oidcIssuer', /^(https:\/\/[^\s?#]+[^\s?#/]\/?)?$/, '') || undefined,
    oidcClientId: flag('oidcClientId', /^[\x21-\x7e]*$/, '') || undefined,
    oidcClientSecret: flag('oidcClientSecret', /^[\w/+=.@-]*$/, '') || undefined,
  };
  if (Boolean(settings.oidcIssuer) !== Boolean(settings.oidcClientId))
    throw new Error('context flags oidcIssuer and oidcClientId must be set together');
  return settings;
};

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import packageJson from '../../package.json' with { type: 'json' };
import type { Audience } from '../../shared/http/operation/surface.ts';
import { ROLLOUTS } from '../limits.ts';

export const ARCHITECTURES = ['arm64', 'x86_64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/**
 * A setting of a deployment. An environment gives it a value, and a context flag of its name another one:
 * `cdk deploy -c env=staging -c architecture=x86_64`.
 */
interface Setting {
  /** The values that are allowed, or their form. */
  values: readonly string[] | RegExp;
  /** Where the flag is left out. */
  fallback: string;
  /** An example, for a value of a certain form. */
  example?: string;
  /** What it does. */
  does: string;
}

const SWITCH = ['true', 'false'] as const;

const DOMAIN = { values: /^([a-z0-9-]+(\.[a-z0-9-]+)+)?$/, fallback: '' } as const;
const CERTIFICATE = {
  values: /^(arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+)?$/,
  fallback: '',
  example: 'arn:aws:acm:eu-west-1:123456789012:certificate/…',
} as const;
const KEY_ARN = /^(arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+)?$/;
const WEB_ACL = {
  values: /^(arn:[\w-]+:wafv2:[\w-]+:\d{12}:regional\/webacl\/[\w/-]+)?$/,
  fallback: '',
  example: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/…',
} as const;

const SETTINGS = {
  prefix: {
    values: /^[a-z][a-z0-9-]{1,23}$/,
    fallback: 'inspection-service',
    does: 'Begins the names of the stack, the APIs and every function, so that one account can hold several deployments.',
  },
  release: {
    values: /^[\w.+-]{1,64}$/,
    fallback: packageJson.version,
    does: 'What `GET /health` calls this deployment, such as the hash of its commit.',
  },
  architecture: {
    values: ARCHITECTURES,
    fallback: 'arm64',
    does: 'The processors of the functions. Functions start in about half the time when they are deployed from a machine with the same processors and the Node.js release of Lambda, because their code is then compiled beforehand.',
  },
  nativeArchitecture: {
    values: ARCHITECTURES,
    fallback: 'x86_64',
    does: 'The processors of the functions that use native packages, such as those that render reports: whoever deploys, they are the same. `npm run synth` lists these functions, and says how to install the packages for these processors where they are missing.',
  },
  rollout: {
    values: ROLLOUTS,
    fallback: ROLLOUTS[0],
    does: 'How requests, queues, the stream and the clock move to the new versions of the functions. With a canary, 10% go there for so long and then all; linear moves 10% after the other, within this time. An alarm of server errors, of the APIs or of failed work stops it, and the stack goes back to the versions of before. While such an alarm is on, only `all-at-once` deploys a mend.',
  },
  smokeKey: {
    values: /^[\w/+=.@-]*$/,
    fallback: '',
    example: 'inspections/smoke-key',
    does: 'The name of the secret in Secrets Manager that holds an API key which reads and writes. With it, a gradual `rollout` ends with the smoke test, and one that fails brings back the versions of before.',
  },
  rowLevelSecurity: {
    values: SWITCH,
    fallback: 'true',
    does: 'Functions reach rows and objects only through a role that IAM confines to the caller’s organization. When off, each function uses its own role.',
  },
  mailFrom: {
    values: /^([\w.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+)?$/,
    fallback: '',
    example: 'no-reply@example.com',
    does: 'The sender address of mails. SES must have verified it or its domain. Without it, notifications are in the API alone, and mails of reports fail.',
  },
  mailWindow: {
    values: /^([1-8]?\d{1,2}|900)$/,
    fallback: '300',
    does: 'How many seconds a mail waits for what else its recipient should hear of, so that it is one mail; at most 900.',
  },
  inspectionUrl: {
    values: /^(https:\/\/[^\s"<>]*\{inspection_id\}[^\s"<>]*)?$/,
    fallback: '',
    example: 'https://app.example.com/i/{inspection_id}',
    does: 'Where people open an inspection. Without it, mails have no link to the inspection.',
  },
  apiDomain: {
    ...DOMAIN,
    example: 'api.example.com',
    does: 'The domain of the API for machines (`/v1`). Set it together with `apiCertificate`.',
  },
  apiCertificate: {
    ...CERTIFICATE,
    does: 'The ARN of the certificate of `apiDomain` in Certificate Manager, in the region of the deployment.',
  },
  apiWebAcl: {
    ...WEB_ACL,
    does: 'The ARN of the regional web ACL (AWS WAF) that protects the API for machines.',
  },
  peopleDomain: {
    ...DOMAIN,
    example: 'inspections.example.com',
    does: 'The domain of the API for people: the app, its sign-in, and the pages that links open. Set it together with `peopleCertificate`.',
  },
  peopleCertificate: {
    ...CERTIFICATE,
    does: 'The ARN of the certificate of `peopleDomain`.',
  },
  peopleWebAcl: {
    ...WEB_ACL,
    does: 'The ARN of the regional web ACL that protects the API for people.',
  },
  publicUrl: {
    values: /^(https:\/\/[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(\/[\w-]+)*)?$/,
    fallback: '',
    example: 'https://i.example.com',
    does: 'The URL of the API for people in links and redirects, if it is not that of `peopleDomain`, such as that of a content delivery network. Without both, links have the URL that API Gateway gives.',
  },
  oidcIssuer: {
    values: /^(https:\/\/[^\s?#]+[^\s?#/]\/?)?$/,
    fallback: '',
    example: 'https://example.okta.com',
    does: 'The OpenID Connect provider that people sign in with. Without it, the deployment creates a Cognito user pool. Register the service there for the authorization code flow with PKCE, the scopes `openid email profile`, the redirect URI `…/app/sign-in/callback` and, for signing out, `…/app/sign-in`, both at the URL of the API for people.',
  },
  oidcClientId: {
    values: /^[\x21-\x7e]*$/,
    fallback: '',
    does: 'The service’s client id at this provider. It is set together with `oidcIssuer`.',
  },
  oidcClientSecret: {
    values: /^[\w/+=.@-]*$/,
    fallback: '',
    does: 'The name of the secret in Secrets Manager that holds the client’s secret, if the provider demands one.',
  },
  cloudWatchRole: {
    values: SWITCH,
    fallback: 'true',
    does: 'Creates the role by which API Gateway writes logs. There is one for all APIs of an account and region, and the new one replaces it.',
  },
  requestLog: {
    values: SWITCH,
    fallback: 'true',
    does: 'Keeps the last requests of each API key for 24 hours, which admins see in the app. It is one write more a request.',
  },
  reservedConcurrency: {
    values: SWITCH,
    fallback: 'true',
    does: 'Reserves 20 instances for each worker on a queue, 50 on the stream and 1 on the clock, which the quota of a new account may not allow.',
  },
  operationMetrics: {
    values: SWITCH,
    fallback: 'false',
    does: 'Metrics of each operation and worker, beside those of each area. CloudWatch bills 0.30 USD a month for each metric: about 40 USD for the areas, and about 400 USD with the operations when all of them are used. The saved queries of Logs Insights answer the same from the logs, for 0.005 USD a GB that they read.',
  },
  alarmReceiver: {
    values: /^([\w.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|https:\/\/[^\s"<>]+)?$/,
    fallback: '',
    example: 'on-call@example.com',
    does: 'Who gets the alarms: an email address, which has to confirm it, or the HTTPS URL of a pager. Without it, nobody is told until somebody subscribes to the topic.',
  },
  account: {
    values: /^(\d{12})?$/,
    fallback: '',
    example: '123456789012',
    does: 'The account that is deployed to, so that another one is refused. It is set together with `region`.',
  },
  region: {
    values: /^([a-z]{2}(-[a-z]+)+-\d)?$/,
    fallback: '',
    example: 'eu-west-1',
    does: 'The region that is deployed to.',
  },
  logLevel: {
    values: ['info', 'error'],
    fallback: 'info',
    does: 'Whether functions write a line for each request, or for failures alone. Of the other requests, `error` leaves a line with numbers only, which the metrics come from.',
  },
  logRetention: {
    values: ['7', '30', '90', '180', '365', '731'],
    fallback: '90',
    does: 'Days that the logs of the functions are kept.',
  },
  tags: {
    values: /^([\w.:/+@-]+=[\w .:/+@-]+(,[\w.:/+@-]+=[\w .:/+@-]+)*)?$/,
    fallback: '',
    example: 'team=inspections,cost-center=42',
    does: 'Tags of everything that is deployed.',
  },
  budget: {
    values: /^(\d{1,7})?$/,
    fallback: '',
    example: '500',
    does: 'USD a month for the account: `alarmReceiver`, an email address, is told at 80% of it, and when it will be exceeded.',
  },
  maxTableUnits: {
    values: /^(\d{2,7})?$/,
    fallback: '',
    example: '4000',
    does: 'The most units that the table and each index read, and write, in a second. More is throttled, and answered with 503; without it, only the quota of the account is the limit.',
  },
  existingTable: {
    values: /^([\w.-]{3,255})?$/,
    fallback: '',
    example: 'inspections-restored',
    does: 'The name of a table that is used instead of one that the deployment creates, such as a restored one: `npm run -s operator -- restore-plan` has the steps. It is encrypted with the key of the deployment, or with `existingKey`. Set it together with `existingTableStream`. The former table is kept.',
  },
  existingTableStream: {
    values: /^(arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+)?$/,
    fallback: '',
    example:
      'arn:aws:dynamodb:eu-west-1:123456789012:table/inspections-restored/stream/2026-01-01T00:00:00.000',
    does: 'The ARN of the stream of `existingTable`.',
  },
  existingBucket: {
    values: /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$/,
    fallback: '',
    example: 'inspections-files',
    does: 'The name of a bucket that is used instead of one that the deployment creates. It keeps its own rules.',
  },
  existingKey: {
    values: KEY_ARN,
    fallback: '',
    example: 'arn:aws:kms:eu-west-1:123456789012:key/…',
    does: 'The ARN of the key that encrypts the table and the bucket, instead of one that the deployment creates.',
  },
  existingCredentialsKey: {
    values: KEY_ARN,
    fallback: '',
    example: 'arn:aws:kms:eu-west-1:123456789012:key/…',
    does: 'The ARN of the key that encrypts the credentials of vendors and the secrets of webhooks, instead of one that the deployment creates.',
  },
  backup: {
    values: SWITCH,
    fallback: 'false',
    does: 'AWS Backup copies the table and the bucket each day, and keeps a copy for 35 days, and one of each month for a year, beside the point-in-time recovery of the table.',
  },
  backupCopyTo: {
    values: /^(arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]+)?$/,
    fallback: '',
    example: 'arn:aws:backup:eu-central-1:333333333333:backup-vault:inspections',
    does: 'The ARN of a vault in another account or region that each of these copies is copied to. It needs `backup`.',
  },
  infrequentAccess: {
    values: SWITCH,
    fallback: 'false',
    does: 'Files move to S3 Standard-IA when they are 90 days old. A month of storage then costs about half; reading a file costs a little.',
  },
  terminationProtection: {
    values: SWITCH,
    fallback: 'true',
    does: 'The stack cannot be deleted before this is off. The table, the bucket, the keys and the queues outlive it even then.',
  },
  permissionsBoundary: {
    values: /^(arn:[\w-]+:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+)?$/,
    fallback: '',
    example: 'arn:aws:iam::123456789012:policy/boundary',
    does: 'The policy that bounds every role which is deployed.',
  },
  tracing: {
    values: SWITCH,
    fallback: 'false',
    does: 'API Gateway and the functions send traces to X-Ray, which bills each trace.',
  },
} as const satisfies Record<string, Setting>;

type Name = keyof typeof SETTINGS;

type ValueOf<Given extends Setting> = Given['values'] extends typeof SWITCH
  ? boolean
  : Given['values'] extends readonly (infer Value)[]
    ? Value
    : Given['fallback'] extends ''
      ? string | undefined
      : string;

/** The settings of one deployment. */
export type Settings = { [Setting in Name]: ValueOf<(typeof SETTINGS)[Setting]> };

/** What an environment sets: what it leaves out is as usual. These it has to say. */
export type Environment = Partial<Settings> & Required<Pick<Settings, (typeof OF_ENVIRONMENT)[number]>>;

/** What tells one environment from another, so no environment leaves it to what is usual. */
const OF_ENVIRONMENT = ['prefix', 'account', 'region', 'alarmReceiver'] as const;

const ENVIRONMENTS = join(import.meta.dirname, '../environments');

/**
 * The settings of an environment.
 * @param folder where each environment is a file
 * @throws Error that names an environment, or a setting of it, that is unknown or missing
 */
export const environmentOf = async (
  name: string | undefined,
  folder = ENVIRONMENTS,
): Promise<Partial<Settings>> => {
  if (name === undefined) return {};
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));
  if (!names.includes(name))
    throw new Error(
      `there is no environment ${name} in infra/environments; there are ${names.join(' and ')}`,
    );
  const { environment } = (await import(join(folder, `${name}.ts`))) as { environment: Partial<Settings> };
  for (const setting of Object.keys(environment))
    if (!Object.hasOwn(SETTINGS, setting))
      throw new Error(`the environment ${name} sets ${setting}, which is no setting`);
  for (const setting of OF_ENVIRONMENT)
    if (!environment[setting]) throw new Error(`the environment ${name} does not set ${setting}`);
  return environment;
};

const readSetting = (app: App, environment: Partial<Settings>, name: Name): unknown => {
  const { values, fallback }: Setting = SETTINGS[name];
  const value = String(app.node.tryGetContext(name) ?? environment[name] ?? fallback);
  const isAllowed = values instanceof RegExp ? values.test(value) : values.includes(value);
  if (!isAllowed)
    throw new Error(
      `context flag ${name}=${value} must ${values instanceof RegExp ? `match ${values}` : `be ${values.join(' or ')}`}`,
    );
  return values === SWITCH ? value === 'true' : value || undefined;
};

/** What stands before an API. */
export interface Front {
  domain: string | undefined;
  /** ARN. */
  certificate: string | undefined;
  /** ARN. */
  webAcl: string | undefined;
}

/** What stands before the API of an audience. */
export const frontOf = (settings: Settings, audience: Audience): Front =>
  audience === 'machines'
    ? { domain: settings.apiDomain, certificate: settings.apiCertificate, webAcl: settings.apiWebAcl }
    : {
        domain: settings.peopleDomain,
        certificate: settings.peopleCertificate,
        webAcl: settings.peopleWebAcl,
      };

/** Settings that are of no use without each other. */
const TOGETHER = [
  ['oidcIssuer', 'oidcClientId'],
  ['apiDomain', 'apiCertificate'],
  ['peopleDomain', 'peopleCertificate'],
  ['account', 'region'],
  ['existingTable', 'existingTableStream'],
] as const;

/** The deployment's settings. @throws Error that names the flag when its value is not allowed */
export const settingsOf = (app: App, environment: Partial<Settings> = {}): Settings => {
  const settings = Object.fromEntries(
    (Object.keys(SETTINGS) as Name[]).map((name) => [name, readSetting(app, environment, name)]),
  ) as Settings;
  for (const [one, other] of TOGETHER)
    if (Boolean(settings[one]) !== Boolean(settings[other]))
      throw new Error(`context flags ${one} and ${other} must be set together`);
  if (settings.backupCopyTo && !settings.backup)
    throw new Error('context flag backupCopyTo needs backup=true');
  return settings;
};

/** All settings with what they do, for people. */
export const describeSettings = (): string =>
  Object.entries<Setting>(SETTINGS)
    .map(([name, { fallback, example, does }]) => {
      const value = example ? `<such as ${example}>` : fallback || '…';
      return `-c ${name}=${value}\n    ${does}`;
    })
    .join('\n\n');

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Resource<Properties = Record<string, unknown>> {
  id: string;
  Type: string;
  Properties: Properties;
  Metadata?: Record<string, unknown>;
}

export interface Template {
  name: string;
  bytes: number;
  resources: Resource[];
  parameters: string[];
  outputs: string[];
  text: string;
}

/** The templates in the folder of a synthesized app. */
export const readTemplates = (folder: string): Template[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const {
        Resources,
        Parameters = {},
        Outputs = {},
      } = JSON.parse(text) as {
        Resources: Record<string, Omit<Resource, 'id'>>;
        Parameters?: object;
        Outputs?: object;
      };
      return {
        name,
        bytes: Buffer.byteLength(text),
        resources: Object.entries(Resources).map(([id, resource]) => ({ id, ...resource })),
        parameters: Object.keys(Parameters),
        outputs: Object.keys(Outputs),
        text,
      };
    });

export const ofType = <Properties = Record<string, unknown>>(
  templates: readonly Template[],
  type: string,
): Resource<Properties>[] =>
  templates.flatMap(({ resources }) =>
    resources.filter(({ Type }) => Type === type),
  ) as unknown as Resource<Properties>[];

/** A metric, in the part of a template that names it. */
interface WatchedMetric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: unknown }[];
}

/** What an alarm watches and when it is raised. */
export interface Alarm extends WatchedMetric {
  AlarmDescription: string;
  AlarmActions: unknown[];
  OKActions: unknown[];
  /** Such as `Sum` or `p99`. */
  Statistic: string;
  /** Seconds. */
  Period: number;
  Threshold: number;
  EvaluationPeriods: number;
  ComparisonOperator: string;
  TreatMissingData: string;
  /** What is made of several metrics. */
  Expression?: string;
}

/** The two forms of an alarm in a template: CDK writes the second for a metric with a label, and for an expression. */
type WrittenAlarm = Alarm & {
  ExtendedStatistic?: string;
  Metrics?: {
    MetricStat?: { Metric: WatchedMetric; Period: number; Stat: string };
    Expression?: string;
  }[];
};

/** The alarms of a deployment, each on one metric. One on an expression appears once for each metric of it. */
export const alarmsIn = (templates: readonly Template[]): Resource<Alarm>[] =>
  ofType<WrittenAlarm>(templates, 'AWS::CloudWatch::Alarm').flatMap(({ Properties, ...resource }) => {
    const { Metrics, ExtendedStatistic, ...alarm } = Properties;
    if (!Metrics)
      return {
        ...resource,
        Properties: { ...alarm, ...(ExtendedStatistic && { Statistic: ExtendedStatistic }) },
      };
    const expression = Metrics.find(({ Expression }) => Expression !== undefined);
    return Metrics.flatMap(({ MetricStat }) => {
      if (!MetricStat) return [];
      const { Metric, Period, Stat: Statistic } = MetricStat;
      const written = expression && { Expression: expression.Expression! };
      return [{ ...resource, Properties: { ...alarm, ...Metric, Period, Statistic, ...written } }];
    });
  });

/** A value as text: pseudo parameters have the values of a sample deployment, other references their names. */
export const filled = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const [[intrinsic, argument]] = Object.entries(value as object) as [[string, unknown]];
  const pseudo: Record<string, string> = {
    'AWS::Partition': 'aws',
    'AWS::Region': 'eu-west-1',
    'AWS::AccountId': '123456789012',
    'AWS::URLSuffix': 'amazonaws.com',
  };
  if (intrinsic === 'Ref') return pseudo[argument as string] ?? `<${argument as string}>`;
  if (intrinsic === 'Fn::GetAtt') return `<${(argument as string[]).join('.')}>`;
  if (intrinsic === 'Fn::Sub' && typeof argument === 'string')
    return argument.replaceAll(/\$\{([\w:]+)\}/g, (_, name: string) => filled({ Ref: name }));
  if (intrinsic === 'Fn::Join') return (argument as [string, unknown[]])[1].map(filled).join('');
  throw new Error(`unexpected intrinsic function ${intrinsic}`);
};

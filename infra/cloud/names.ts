import type { QueueName } from '../../shared/base/queues.ts';
import type { Settings } from './settings.ts';

/** The CloudWatch namespace of a deployment's own metrics. Deployments of one account must not share any metric. */
export const metricsNamespace = ({ prefix }: Pick<Settings, 'prefix'>): string =>
  `InspectionService/${prefix}`;

export const capitalized = <Text extends string>(text: Text) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;

/** The name of a queue's ARN or URL among the values of a deployment, such as `RenderQueueArn`. */
export const queueValue = (queue: QueueName, part: 'Arn' | 'Url') =>
  `${capitalized(queue)}Queue${part}` as const;

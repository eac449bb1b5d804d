import { createHash } from 'node:crypto';
import type { QueueName } from '../../shared/base/queues.ts';
import type { Audience } from '../../shared/http/operation/surface.ts';
import { functionName } from '../catalogue.ts';
import type { Settings } from './settings.ts';

/** The CloudWatch namespace of a deployment's own metrics. Deployments of one account must not share any metric. */
export const metricsNamespace = ({ prefix }: Pick<Settings, 'prefix'>): string =>
  `InspectionService/${prefix}`;

/** The name of an API, which its metrics have. */
export const apiName = ({ prefix }: Pick<Settings, 'prefix'>, audience: Audience): string =>
  audience === 'machines' ? prefix : `${prefix}-people`;

/** The SES configuration set of a deployment's mails. */
export const configurationSetName = ({ prefix }: Pick<Settings, 'prefix'>): string => prefix;

export const capitalized = <Text extends string>(text: Text) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;

/** The name of a queue's ARN or URL among the values of a deployment, such as `RenderQueueArn`. */
export const queueValue = (queue: QueueName, part: 'Arn' | 'Url') =>
  `${capitalized(queue)}Queue${part}` as const;

/** How long the name of a Lambda function may be, in characters. */
const MAX_NAME_LENGTH = 64;

/** Characters of the code that stands for an area in a name. */
const AREA_CODE_LENGTH = 3;

const areaOf = (file: string): string => file.split('/')[1]!;

const areaCode = (area: string): string =>
  createHash('sha256').update(area).digest('hex').slice(0, AREA_CODE_LENGTH);

/**
 * The physical name of a function. It ends with a code of its area: each area is a stack of its own, and a function that
 * moves to another one is created there before it is deleted here, which CloudFormation refuses under the same name.
 * The area itself would make many names too long.
 * @throws Error when the name is longer than AWS allows
 */
export const physicalName = ({ prefix }: Pick<Settings, 'prefix'>, { file }: { file: string }): string => {
  const name = `${prefix}-${functionName({ file })}-${areaCode(areaOf(file))}`;
  if (name.length > MAX_NAME_LENGTH)
    throw new Error(`the function name ${name} is longer than ${MAX_NAME_LENGTH} characters`);
  return name;
};

/** @throws Error when two areas have the same code, so that a function could not move from one to the other */
export const checkAreaCodes = (files: readonly string[]): void => {
  const areas = new Map<string, string>();
  for (const area of new Set(files.map(areaOf))) {
    const code = areaCode(area);
    const other = areas.get(code);
    if (other) throw new Error(`the areas ${other} and ${area} have the same code; rename one of them`);
    areas.set(code, area);
  }
};

/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';

/** The period over which every metric is collected. */
export const PERIOD = Duration.minutes(5);

interface Limit extends Pick<AlarmProps, 'metric' | 'threshold' | 'evaluationPeriods'> {
  what: string;
  /** What somebody does about it in the middle of the night: a command and what to look for. */
  act: string;
  /** The metric must stay at the threshold or above it, and is missing when nothing happens at all. */
  isLeast?: true;
}

/** A command of the platform team's command line, on the deployed table. */
export const operator = (command: string): string => `npm run -s operator -- ${command}`;

/** The errors that a function has logged in the last hour. @param name its physical name */
export const errorsOf = (name: string): string =>
  `aws logs tail '/aws/lambda/${name}' --since 1h --filter-pattern '{ $.level = "error" }'`;

/**
 * Raises an alarm when the metric reaches the threshold, or falls below the least; and tells when that is over. A metric
 * counts failures, so it is missing while there are none.
 */
export const addAlarm = (
  stack: Stack,
  id: string,
  topicArn: string,
  { what, act, isLeast, ...limit }: Limit,
): Alarm => {
  const alarm = new Alarm(stack, id, {
    ...limit,
    alarmDescription: `${what}. To do: ${act}`,
    comparisonOperator: isLeast
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: isLeast ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const action = { bind: () => ({ alarmActionArn: topicArn }) };
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
};

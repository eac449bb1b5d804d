/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmProps, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';

/** The period over which every metric is collected. */
export const PERIOD = Duration.minutes(5);

type Limit = Pick<AlarmProps, 'metric' | 'threshold' | 'evaluationPeriods' | 'alarmDescription'>;

/** Raises an alarm when the metric reaches the threshold. Missing data raises none. */
export const addAlarm = (stack: Stack, id: string, topicArn: string, limit: Limit): void =>
  new Alarm(stack, id, { ...limit, treatMissingData: TreatMissingData.NOT_BREACHING }).addAlarmAction({
    bind: () => ({ alarmActionArn: topicArn }),
  });

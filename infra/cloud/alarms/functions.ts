import { Duration } from 'aws-cdk-lib';
import { type Alarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { WorkerEntry } from '../../catalogue.ts';
import { ALIAS } from '../functions/rollout.ts';
import type { FunctionsStack } from '../functions/stack.ts';
import { capitalized, metricsNamespace, physicalName } from '../names.ts';
import { addAlarm, errorsOf, operator, PERIOD } from './alarm.ts';
import { latency, serverErrors } from './metrics.ts';

/** How far a worker may fall behind the table's stream. */
const MAX_STREAM_LAG = Duration.minutes(5);

/** The period in which the runs of a scheduled worker, and those that failed, are counted. A run is not repeated. */
const RUNS = Duration.minutes(15);

/**
 * Alarms for one area: its requests fail with a server error, or they are slow.
 * @returns the former, which stops a rollout; the latter would, too, because new versions start slowly
 */
export const addAreaAlarms = (stack: FunctionsStack, area: string): Alarm => {
  const { settings } = stack.deployment;
  const { prefix } = settings;
  const namespace = metricsNamespace(settings);
  const serverErrorsAlarm = addAlarm(stack, 'ServerErrors', stack.value('AlarmsArn'), {
    what: `${area}: 5 or more requests failed with a server error within 5 minutes`,
    act: `run the saved query ${prefix}/errors, which names the operations and their errors, and ${operator('doctor')}`,
    metric: serverErrors(namespace, area),
    threshold: 5,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'Latency', stack.value('AlarmsArn'), {
    what: `${area}: the slowest 1% of the requests took 3 seconds or longer, for 15 minutes`,
    act: `run the saved query ${prefix}/slow; if all operations are slow, look at https://health.aws.amazon.com and ${operator('doctor')}`,
    metric: latency(namespace, area),
    threshold: 3_000,
    evaluationPeriods: 3,
  });
  return serverErrorsAlarm;
};

/**
 * The alarms for one worker: Lambda throttles it, it falls behind the stream, or its scheduled runs fail, or there are
 * none. The failures of a worker on a queue end in the dead-letter queue, which has an alarm.
 * @param rule the clock of a scheduled worker
 */
export const addWorkerAlarms = (
  stack: FunctionsStack,
  { file, worker: { id, source } }: WorkerEntry,
  worker: Function,
  rule?: Rule,
): void => {
  const showErrors = errorsOf(physicalName(stack.deployment.settings, { file }));
  addAlarm(stack, `${capitalized(id)}Throttles`, stack.value('AlarmsArn'), {
    what: `${id}: Lambda throttled the worker`,
    act: `aws lambda get-account-settings; if UnreservedConcurrentExecutions is near 0, ask AWS for a higher quota of concurrent executions. The work waits meanwhile; ${operator('doctor')} shows how long`,
    metric: worker.metricThrottles({ period: PERIOD }),
    threshold: 1,
    evaluationPeriods: 1,
  });
  if ('stream' in source) {
    addAlarm(stack, `${capitalized(id)}Lag`, stack.value('AlarmsArn'), {
      what: `${id}: the worker is ${MAX_STREAM_LAG.toMinutes()} minutes or more behind the table's stream`,
      act: `${showErrors}; what it cannot deliver at any attempt is found by the sweep, and shown by ${operator('dead-letters list')}`,
      metric: worker.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: PERIOD }),
      threshold: MAX_STREAM_LAG.toMilliseconds(),
      evaluationPeriods: 1,
    });
  } else if ('every' in source) {
    addAlarm(stack, `${capitalized(id)}Errors`, stack.value('AlarmsArn'), {
      what: `${id}: the worker failed twice or more within ${RUNS.toMinutes()} minutes`,
      act: `${showErrors}; the next run does the work, and ${operator('doctor')} shows what is late`,
      metric: worker.metricErrors({ period: RUNS }),
      threshold: 2,
      evaluationPeriods: 1,
    });
    addAlarm(stack, `${capitalized(id)}Missing`, stack.value('AlarmsArn'), {
      what: `${id}: the worker did not run for ${RUNS.toMinutes()} minutes`,
      act: `aws events describe-rule --name '${rule!.ruleName}'; if its State is DISABLED, aws events enable-rule --name '${rule!.ruleName}'`,
      metric: worker.metricInvocations({ period: RUNS }),
      threshold: 1,
      evaluationPeriods: 1,
      isLeast: true,
    });
    addAlarm(stack, `${capitalized(id)}Clock`, stack.value('AlarmsArn'), {
      what: `${id}: the clock could not start the worker`,
      act: `aws lambda get-policy --function-name '${worker.functionName}' --qualifier ${ALIAS}; if it does not allow events.amazonaws.com, deploy again`,
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'FailedInvocations',
        dimensionsMap: { RuleName: rule!.ruleName },
        statistic: Stats.SUM,
        period: PERIOD,
      }),
      threshold: 1,
      evaluationPeriods: 1,
    });
  }
};

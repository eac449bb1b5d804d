import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Worker } from '../../../shared/http/worker/worker.ts';
import type { FunctionsStack } from '../functions/stack.ts';
import { capitalized, metricsNamespace } from '../names.ts';
import { addAlarm, PERIOD } from './alarm.ts';
import { latency, serverErrors } from './metrics.ts';

/** How far a worker may fall behind the table's stream. */
const MAX_STREAM_LAG = Duration.minutes(5);

/** The period in which the failed runs of a scheduled worker are counted. A run is not repeated. */
const FAILED_RUNS = Duration.minutes(15);

/** Alarms for one area: its requests fail with a server error, or they are slow. */
export const addAreaAlarms = (stack: FunctionsStack, area: string): void => {
  const namespace = metricsNamespace(stack.deployment.settings);
  addAlarm(stack, 'ServerErrors', stack.value('AlarmsArn'), {
    alarmDescription: `${area}: 5 or more requests failed with a server error within 5 minutes`,
    metric: serverErrors(namespace, area),
    threshold: 5,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'Latency', stack.value('AlarmsArn'), {
    alarmDescription: `${area}: the slowest 1% of the requests took 3 seconds or longer, for 15 minutes`,
    metric: latency(namespace, area),
    threshold: 3_000,
    evaluationPeriods: 3,
  });
};

/**
 * The alarms for one worker: Lambda throttles it, it falls behind the stream, or its scheduled runs fail. The failures
 * of a worker on a queue end in the dead-letter queue, which has an alarm.
 */
export const addWorkerAlarms = (stack: FunctionsStack, { id, source }: Worker, worker: Function): void => {
  addAlarm(stack, `${capitalized(id)}Throttles`, stack.value('AlarmsArn'), {
    alarmDescription: `${id}: Lambda throttled the worker`,
    metric: worker.metricThrottles({ period: PERIOD }),
    threshold: 1,
    evaluationPeriods: 1,
  });
  if ('stream' in source) {
    addAlarm(stack, `${capitalized(id)}Lag`, stack.value('AlarmsArn'), {
      alarmDescription: `${id}: the worker is ${MAX_STREAM_LAG.toMinutes()} minutes or more behind the table's stream`,
      metric: worker.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: PERIOD }),
      threshold: MAX_STREAM_LAG.toMilliseconds(),
      evaluationPeriods: 1,
    });
  } else if ('every' in source) {
    addAlarm(stack, `${capitalized(id)}Errors`, stack.value('AlarmsArn'), {
      alarmDescription: `${id}: the worker failed twice or more within ${FAILED_RUNS.toMinutes()} minutes`,
      metric: worker.metricErrors({ period: FAILED_RUNS }),
      threshold: 2,
      evaluationPeriods: 1,
    });
  }
};

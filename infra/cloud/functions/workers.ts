/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import {
  type Alias,
  EventInvokeConfig,
  EventSourceMapping,
  FilterCriteria,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Worker } from '../../../shared/http/worker/worker.ts';
import { OUTBOX_FILTER } from '../../../shared/table/table.ts';
import type { WorkerEntry } from '../../catalogue.ts';
import { grantsOf } from '../../grants.ts';
import { DEFAULT_BATCH_SIZE, DEFAULT_WORKER_TIMEOUT, MAX_CONCURRENCY } from '../../limits.ts';
import { addWorkerAlarms } from '../alarms/functions.ts';
import { capitalized, queueValue } from '../names.ts';
import { allow, statementsOf } from './grants.ts';
import { type Deployment, FunctionsStack } from './stack.ts';

/** How often a batch of the stream is retried before it goes to the queue of undelivered records. */
const MAX_STREAM_RETRIES = 10;

/** How old a record of the stream may become before it goes there as well. */
const MAX_RECORD_AGE = Duration.hours(12);

/** The stack of the workers, with what wakes them: the queues, the table's stream and the clock. */
export class WorkersStack extends FunctionsStack {
  constructor(scope: Construct, workers: readonly WorkerEntry[], deployment: Deployment) {
    super(scope, 'Workers', deployment);
    for (const entry of workers) {
      const { file, worker } = entry;
      const { id, summary, memory, timeout = DEFAULT_WORKER_TIMEOUT } = worker;
      const grants = grantsOf(entry);
      const { target, live } = this.addFunction(
        {
          file,
          id,
          summary,
          memory,
          timeout,
          grants,
          queue: 'queue' in worker.source ? worker.source.queue : undefined,
          reservedConcurrency: this.#concurrencyOf(worker),
          statements: [...statementsOf(grants, this.resources()), ...this.#sourceStatements(worker)],
        },
        `/${deployment.settings.prefix}/${Aws.REGION}/workers/`,
      );
      addWorkerAlarms(this, entry, target, this.#addSource(worker, live));
    }
  }

  // Work fails in a worker rather than in a request. Its alarm is the first that is raised.
  protected override brakes(): string[] {
    return [this.value('StoredDeadLettersAlarm')];
  }

  #sourceStatements({ source }: Worker) {
    if ('queue' in source) {
      return [
        allow(
          [
            'sqs:ReceiveMessage',
            'sqs:DeleteMessage',
            'sqs:GetQueueAttributes',
            'sqs:ChangeMessageVisibility',
          ],
          [this.value(queueValue(source.queue, 'Arn'))],
        ),
      ];
    }
    if ('stream' in source) {
      return [
        allow(
          [
            'dynamodb:DescribeStream',
            'dynamodb:GetRecords',
            'dynamodb:GetShardIterator',
            'dynamodb:ListStreams',
          ],
          [this.value('StreamArn')],
        ),
        allow(['kms:Decrypt'], [this.value('KeyArn')]),
        allow(['sqs:SendMessage'], [this.value('UndeliveredArn')]),
      ];
    }
    return [allow(['sqs:SendMessage'], [this.value('FailedRunsArn')])];
  }

  #concurrencyOf({ source }: Worker): number | undefined {
    if (!this.deployment.settings.reservedConcurrency) return undefined;
    if ('queue' in source) return MAX_CONCURRENCY.queue;
    return 'stream' in source ? MAX_CONCURRENCY.stream : MAX_CONCURRENCY.clock;
  }

  /**
   * @returns the clock of a scheduled worker
   * @throws Error when a scheduled run could last until the next one
   */
  #addSource(
    { id, source, batchSize, timeout = DEFAULT_WORKER_TIMEOUT }: Worker,
    live: Alias,
  ): Rule | undefined {
    // CDK's own classes do not meet its interfaces under `exactOptionalPropertyTypes`.
    const target = live as IFunction;
    const name = `${capitalized(id)}Source`;
    if ('queue' in source) {
      new EventSourceMapping(this, name, {
        target,
        eventSourceArn: this.value(queueValue(source.queue, 'Arn')),
        batchSize: batchSize ?? DEFAULT_BATCH_SIZE.queue,
        reportBatchItemFailures: true,
        maxConcurrency: MAX_CONCURRENCY.queue,
      });
    } else if ('stream' in source) {
      const destination = this.value('UndeliveredArn');
      new EventSourceMapping(this, name, {
        target,
        eventSourceArn: this.value('StreamArn'),
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [FilterCriteria.filter(OUTBOX_FILTER)],
        batchSize: batchSize ?? DEFAULT_BATCH_SIZE.stream,
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: MAX_STREAM_RETRIES,
        maxRecordAge: MAX_RECORD_AGE,
        onFailure: { bind: () => ({ destination }) },
      });
    } else {
      const period = Duration.minutes(Number.parseInt(source.every, 10));
      if (timeout >= period.toSeconds())
        throw new Error(
          `${id} runs every ${period.toHumanString()}, so its timeout of ${timeout} s is too long`,
        );
      const rule = new Rule(this, name, {
        schedule: Schedule.rate(period),
        targets: [new LambdaFunction(target, { maxEventAge: period })],
      });
      const destination = this.value('FailedRunsArn');
      // The next run does the work of one that failed or could not start in time.
      new EventInvokeConfig(this, `${capitalized(id)}Invocation`, {
        function: live.lambda,
        qualifier: live.aliasName,
        retryAttempts: 0,
        maxEventAge: period,
        onFailure: { bind: () => ({ destination }) },
      });
      return rule;
    }
    return undefined;
  }
}

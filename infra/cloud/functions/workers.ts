/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, FilterCriteria, type Function, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { OUTBOX_FILTER } from '../../../shared/db/table/table.ts';
import type { Worker } from '../../../shared/http/worker/worker.ts';
import type { WorkerEntry } from '../../catalogue.ts';
import { DEFAULT_BATCH_SIZE, DEFAULT_WORKER_TIMEOUT } from '../../limits.ts';
import { addWorkerAlarms } from '../alarms/functions.ts';
import { capitalized, queueValue } from '../names.ts';
import { allow, statementsOf } from './grants.ts';
import { type Deployment, FunctionsStack } from './stack.ts';

/** How many instances of a worker read one queue at once. The rest of the account's concurrency is for requests. */
const MAX_CONCURRENCY = 20;

/** How often a batch of the stream is retried before it goes to the queue of undelivered records. */
const MAX_STREAM_RETRIES = 10;

/** How old a record of the stream may become before it goes there as well. */
const MAX_RECORD_AGE = Duration.hours(12);

/** The stack of the workers, with what wakes them: the queues, the table's stream and the clock. */
export class WorkersStack extends FunctionsStack {
  constructor(scope: Construct, workers: readonly WorkerEntry[], deployment: Deployment) {
    super(scope, 'Workers', deployment);
    for (const { file, worker } of workers) {
      const { id, summary, memory, timeout = DEFAULT_WORKER_TIMEOUT, grants } = worker;
      const target = this.addFunction(
        {
          file,
          id,
          summary,
          memory,
          timeout,
          grants,
          statements: [...statementsOf(grants, this.resources()), ...this.#sourceStatements(worker)],
        },
        `/${deployment.settings.prefix}/${Aws.REGION}/workers/`,
      );
      this.#addSource(worker, target);
      addWorkerAlarms(this, worker, target);
    }
  }

  #sourceStatements({ source }: Worker) {
    if ('queue' in source) {
      return [
        allow(
          ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
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
    return [];
  }

  #addSource({ id, source, batchSize }: Worker, target: Function): void {
    const name = `${capitalized(id)}Source`;
    if ('queue' in source) {
      new EventSourceMapping(this, name, {
        target,
        eventSourceArn: this.value(queueValue(source.queue, 'Arn')),
        batchSize: batchSize ?? DEFAULT_BATCH_SIZE.queue,
        reportBatchItemFailures: true,
        maxConcurrency: MAX_CONCURRENCY,
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
      new Rule(this, name, {
        schedule: Schedule.rate(Duration.minutes(Number.parseInt(source.every, 10))),
        targets: [new LambdaFunction(target)],
      });
    }
  }
}

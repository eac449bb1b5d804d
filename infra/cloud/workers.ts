/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, FilterCriteria, type Function, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { OUTBOX_FILTER } from '../../shared/db/table/table.ts';
import type { Worker } from '../../shared/http/worker.ts';
import type { WorkerEntry } from '../catalogue.ts';
import { addWorkerAlarm } from './alarms.ts';
import { capitalized, type Deployment, FunctionsStack, queuePart, timeoutOf } from './functions.ts';
import { allow, statementsOf } from './grants.ts';

/** What runs behind the queues, the table's stream and the clock. */
export class WorkersStack extends FunctionsStack {
  constructor(scope: Construct, workers: readonly WorkerEntry[], deployment: Deployment) {
    super(scope, 'Workers', deployment);
    for (const { file, worker } of workers) {
      const { id, summary, memory, grants } = worker;
      const target = this.addFunction(
        {
          file,
          id,
          summary,
          memory,
          timeout: timeoutOf(worker),
          grants,
          statements: [...statementsOf(grants, this.resources()), ...this.#sourceStatements(worker)],
        },
        `/${deployment.settings.prefix}/${Aws.REGION}/workers/`,
      );
      this.#addSource(worker, target);
      addWorkerAlarm(this, worker, target);
    }
  }

  #sourceStatements({ source }: Worker) {
    if ('queue' in source) {
      return [
        allow(
          ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          [this.given(queuePart(source.queue, 'Arn'))],
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
          [this.given('StreamArn')],
        ),
        allow(['kms:Decrypt'], [this.given('KeyArn')]),
        allow(['sqs:SendMessage'], [this.given('UndeliveredArn')]),
      ];
    }
    return [];
  }

  #addSource({ id, source, batchSize }: Worker, target: Function): void {
    const name = `${capitalized(id)}Source`;
    if ('queue' in source) {
      new EventSourceMapping(this, name, {
        target,
        eventSourceArn: this.given(queuePart(source.queue, 'Arn')),
        batchSize: batchSize ?? 10,
        reportBatchItemFailures: true,
        // Slow work must leave the account's concurrency to the requests.
        maxConcurrency: 20,
      });
    } else if ('stream' in source) {
      const destination = this.given('UndeliveredArn');
      new EventSourceMapping(this, name, {
        target,
        eventSourceArn: this.given('StreamArn'),
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [FilterCriteria.filter(OUTBOX_FILTER)],
        batchSize: batchSize ?? 100,
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: 10,
        maxRecordAge: Duration.hours(12),
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

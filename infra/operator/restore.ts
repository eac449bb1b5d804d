import {
  DescribeTableCommand,
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { connection } from '../../shared/base/connection.ts';
import { environment } from '../../shared/base/environment.ts';
import { STAGE } from '../gateway.ts';
import { createMissingIndexes, enableStream, enableTimeToLive } from '../local/engines/resources.ts';
import { command } from './command.ts';

const OPERATOR = 'npm run -s operator --';

const TableName = z
  .string()
  .regex(/^[\w.-]{3,255}$/, 'it must be 3 to 255 letters, digits, hyphens, dots or underscores');

/** A step of a restore: what it does, and the command. */
interface RestoreStep {
  step: number;
  what: string;
  command: string;
}

/** The steps by which a deployment goes on with a restored table. @param time ISO; the latest when left out */
export const restoreSteps = (from: string, to: string, time: string | undefined): RestoreStep[] => {
  const moment = time === undefined ? '--use-latest-restorable-time' : `--restore-date-time ${time}`;
  const steps: Omit<RestoreStep, 'step'>[] = [
    {
      what: 'Close the API, so that nothing is written that the restored table does not have. Note both limits first',
      command: `aws apigateway update-stage --rest-api-id <id of each API> --stage-name ${STAGE} --patch-operations op=replace,path=/*/*/throttling/rateLimit,value=0 op=replace,path=/*/*/throttling/burstLimit,value=0`,
    },
    {
      what: 'Restore the table under another name. Its indexes come with it; its stream, its time to live, its point-in-time recovery and its deletion protection do not. Wait first until LatestRestorableDateTime (aws dynamodb describe-continuous-backups) is after the moment when the API was closed, about five minutes: then no row is lost. If the table is gone, DynamoDB keeps a backup of it for 35 days: aws dynamodb list-backups --backup-type SYSTEM, and aws dynamodb restore-table-from-backup',
      command: `aws dynamodb restore-table-to-point-in-time --source-table-name ${from} --target-table-name ${to} ${moment} && aws dynamodb wait table-exists --table-name ${to}`,
    },
    {
      what: 'Give it what a restore leaves out. The reply has the ARN of its stream',
      command: `TABLE_NAME=${to} ${OPERATOR} restore-table`,
    },
    {
      what: 'Look at what is wrong with its rows, for each organization',
      command: `TABLE_NAME=${to} ${OPERATOR} org check --org <id>`,
    },
    {
      what: 'Deploy with it; every function gets a new version. Set both settings in the environment too, so that the next deployment keeps them. The former table is kept',
      command: `npm run deploy -- -c env=<name> -c rollout=all-at-once -c existingTable=${to} -c existingTableStream=<stream_arn>`,
    },
    {
      what: 'Store rows in the form of this release, if another one wrote them',
      command: `TABLE_NAME=${to} ${OPERATOR} migrate`,
    },
    {
      what: 'See whether anything is wrong. Work that the restored rows wait for is done again: receivers of webhooks know events by their ids',
      command: `TABLE_NAME=${to} ${OPERATOR} doctor`,
    },
    {
      what: 'Bring back files that were deleted since that moment: remove their delete markers. The bucket keeps them for 30 days',
      command:
        "aws s3api list-object-versions --bucket <bucket> --query 'DeleteMarkers[?IsLatest].[Key,VersionId]' --output text",
    },
    {
      what: 'Open the API again: with the limits that were noted, in the command of the first step',
      command: 'npm run smoke -- --url <ApiUrl> --key <key>',
    },
  ];
  return steps.map((step, position) => ({ step: position + 1, ...step }));
};

/** Does a change of the table; undefined where the engine does not know it, as local ones do not know backups. */
const ifKnown = async (change: Promise<unknown>): Promise<boolean> => {
  try {
    await change;
    return true;
  } catch (error) {
    if ((error as Error).name === 'UnknownOperationException') return false;
    throw error;
  }
};

/** Gives the table what DynamoDB leaves out of a restore. It may be run again. */
const completeTable = async () => {
  const client = new DynamoDBClient(connection('table'));
  const name = environment('TABLE_NAME');
  const indexes = await createMissingIndexes(client, name);
  const streamWasOff = await enableStream(client, name);
  const timeToLiveWasOff = await enableTimeToLive(client, name);
  const isProtected = await ifKnown(
    client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: true })),
  );
  const hasRecovery = await ifKnown(
    client.send(
      new UpdateContinuousBackupsCommand({
        TableName: name,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ),
  );
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  client.destroy();
  return {
    table: name,
    stream_arn: Table!.LatestStreamArn!,
    indexes_created: indexes,
    stream_turned_on: streamWasOff,
    time_to_live_turned_on: timeToLiveWasOff,
    deletion_protection: isProtected,
    point_in_time_recovery: hasRecovery,
  };
};

/** The commands by which a deployment goes on with a restored table. */
export const restoreCommands = {
  'restore-plan': command({
    summary: 'print the steps by which a deployment goes on with a restored table, with their commands',
    options: z.strictObject({
      to: TableName.optional().meta({ help: 'The name of the restored table.' }),
      time: z.iso
        .datetime({ offset: true })
        .optional()
        .meta({ help: 'The moment that is restored; the latest one when left out.' }),
    }),
    run: async ({ to, time }) => {
      const from = environment('TABLE_NAME');
      return restoreSteps(from, to ?? `${from}-restored`, time);
    },
  }),
  'restore-table': command({
    summary:
      'give a restored table, which TABLE_NAME names, its stream, its indexes one after the other, its time to live, deletion protection and point-in-time recovery',
    options: z.strictObject({}),
    run: completeTable,
  }),
};

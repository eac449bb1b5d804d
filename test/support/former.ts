import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { systemClient } from '../../shared/db/table/client.ts';
import { FORM } from '../../shared/db/table/forms.ts';

/** Stores a row as release 1.0 does: in the first form of its kind. */
export const putFormer = async (row: Record<string, unknown>): Promise<void> => {
  const { [FORM]: _, ...former } = row;
  await systemClient().send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item: former }));
};

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { OutboxRow } from '../entities.ts';

/** The outbox's rows that were written, of those that its stream tells of; the others were deleted. */
export const writtenRows = (records: readonly DynamoDBRecord[]): OutboxRow[] =>
  records.flatMap(({ dynamodb }) =>
    dynamodb?.NewImage
      ? // The stream's events have types of their own, and `unmarshall` has none.
        [unmarshall(dynamodb.NewImage as Record<string, AttributeValue>) as OutboxRow]
      : [],
  );

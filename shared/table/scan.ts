import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../base/environment.ts';
import { systemClient } from './client.ts';
import type { Stored } from './forms.ts';
import type { Key } from './keys.ts';
import { retrying } from './retry.ts';

/** Rows as they are stored, and where the next page begins; undefined behind the last one. */
export interface ScannedPage {
  rows: Stored[];
  next: Key | undefined;
}

/**
 * A page of the whole table. For the platform team's tools only: no function may do this. Rows that belong to one
 * organization but stand by a hash, such as sessions and reserved values, cannot be found in another way.
 * @param start where the page begins; the beginning when left out
 * @param limit the number of rows that are read at most
 * @param org only the rows of this organization; all others are read as well, and left out
 */
export const scanPage = async (start: Key | undefined, limit: number, org?: string): Promise<ScannedPage> => {
  const ofOrg = org !== undefined && {
    FilterExpression: 'begins_with(pk, :own) OR org_id = :org OR pk = :requests OR sk = :org',
    ExpressionAttributeValues: { ':own': `ORG#${org}`, ':org': org, ':requests': `KEY#${org}` },
  };
  const { Items = [], LastEvaluatedKey } = await retrying('The database', () =>
    systemClient().send(
      new ScanCommand({
        TableName: environment('TABLE_NAME'),
        ConsistentRead: true,
        Limit: limit,
        ExclusiveStartKey: start,
        ...ofOrg,
      }),
    ),
  );
  return { rows: Items as Stored[], next: LastEvaluatedKey as Key | undefined };
};

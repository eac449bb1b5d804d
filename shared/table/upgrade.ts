import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { TableClient } from './client.ts';
import { isOutdated, type Stored } from './forms.ts';
import { retrying } from './retry.ts';
import { upgrade } from './writes.ts';

/*
 * Rows are upgraded as they are read, and stored again when they are changed. A write may need the stored row in the
 * form of this release: an update, which changes only some attributes, and a condition on what an upgrade has added. Such
 * a write fails on an older row. The row is then upgraded in place, and the write is decided or sent again.
 */

type Attributes = Parameters<typeof unmarshall>[0];

/** The row on which the condition of a single write has failed; undefined for any other error, and where there is none. */
export const standingRow = (error: unknown): Stored | undefined => {
  const { name, Item } = error as { name: string; Item?: Attributes };
  return name === 'ConditionalCheckFailedException' && Item ? (unmarshall(Item) as Stored) : undefined;
};

/**
 * Stores a row in the form of this release, if it is older. A row that somebody else changes at the same time keeps that
 * change.
 * @returns false for a row that is not older
 * @throws ApiError 503 when an outage outlasts the retries
 */
export const upgradeRow = async (client: TableClient, row: Stored): Promise<boolean> => {
  if (!isOutdated(row)) return false;
  try {
    await retrying('The database', () => client.send(new UpdateCommand(upgrade(row).item.Update!)));
  } catch (error) {
    if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
    // Each time somebody else was faster. A row that was deleted needs no upgrade.
    const standing = standingRow(error);
    if (standing) await upgradeRow(client, standing);
  }
  return true;
};

/**
 * Upgrades the rows on which conditions of a transaction have failed.
 * @returns whether there was an older one, so that the transaction may succeed when it is decided again
 */
export const upgradeRows = async (client: TableClient, error: unknown): Promise<boolean> => {
  const { CancellationReasons = [] } = error as TransactionCanceledException;
  const standing = CancellationReasons.flatMap(({ Item }) => (Item ? [unmarshall(Item) as Stored] : []));
  const upgrades = await Promise.all(standing.map((row) => upgradeRow(client, row)));
  return upgrades.includes(true);
};

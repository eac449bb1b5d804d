import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { MailSuppression } from '../../schemas/mail.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';
import { restore, standingOf } from './addresses.ts';

const NOUN = 'mail suppression';

const suppressedRows = async function* (
  caller: Caller,
  after: string | undefined,
  updatedSince: string | undefined,
) {
  for await (const row of queryRows(caller, {
    partition: keys.address.partition(caller),
    after,
    updatedSince,
  })) {
    const { address, suppressed, sk } = row;
    if (suppressed)
      yield { sk, suppression: { address, reason: suppressed.reason, created_at: suppressed.at } };
  }
};

/** The addresses that are mailed no more, in no particular order. A Query per megabyte of known addresses. */
export const list = async (caller: Caller, query: ListQuery): Promise<Listing<MailSuppression>> =>
  listing(
    caller,
    NOUN,
    query,
    suppressedRows(caller, readCursor(caller, NOUN, query), query.updated_since),
    ({ sk }) => sk,
    ({ suppression }) => suppression,
  );

/** Lets an address be mailed again. @throws ApiError 404 when it is not suppressed */
export const remove = async (caller: Caller, address: string): Promise<void> => {
  const { state } = await standingOf(caller, address);
  if (state !== 'suppressed') throw errors.notFound(NOUN);
  await restore(caller, address);
};

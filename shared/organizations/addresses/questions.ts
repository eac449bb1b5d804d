import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { keptFrom } from '../../base/time.ts';
import { MailQuestion } from '../../schemas/mail.ts';
import { present } from '../../schemas/projection.ts';
import { audit } from '../../table/audit.ts';
import type { Work } from '../../table/change.ts';
import { exists } from '../../table/conditions.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { getRow } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/*
 * A question to an address is open from when its mail is about to be sent until somebody at the address has answered, a
 * member has ended it, or its link has expired. Only open ones have a row, so a list of them reads nothing else. A
 * question has the id of the mail that asks.
 */

const NOUN = 'mail question';

/** How long it is known that a question was ended, in seconds: longer than its mail may wait. */
const ENDED_SECONDS = 100 * 86_400;

/** What is asked, and by which mail. */
export type Asked = Omit<MailQuestion, 'asked_at' | 'expires_at' | 'created_by'>;

/** Opens a question, again if its mail is sent again. @param until epoch milliseconds */
export const opening = (work: Work, asked: Asked, until: number): Write =>
  write.put({
    ...keys.openQuestion(work, asked.id),
    ...asked,
    asked_at: work.now,
    expires_at: new Date(until).toISOString(),
    created_by: work.user_id,
    updated_at: work.now,
    ttl: Math.ceil(until / 1_000),
  });

/** The question is not open any more. */
export const closing = (work: Work, id: string): Write => write.drop(keys.openQuestion(work, id));

/** Ends an open question. The change fails with 404 when it has been answered or ended meanwhile. */
export const ending = (work: Work, id: string): Write[] => [
  write.remove(keys.openQuestion(work, id), exists, () => errors.notFound(NOUN)),
  write.put({
    ...keys.endedQuestion(work, id),
    ended_at: work.now,
    ttl: keptFrom(work.now, ENDED_SECONDS),
  }),
  audit(work, 'mail_question.ended', id),
];

/** Whether a member has ended a question. The end of an offer may stand in its share link. One call of the table. */
export const isEnded = async (caller: Caller, id: string): Promise<boolean> =>
  (await getRow(caller, keys.endedQuestion(caller, id))) !== undefined;

/** An open question. @throws ApiError 404 */
export const find = async (caller: Caller, id: string): Promise<MailQuestion> => {
  const row = await getRow(caller, keys.openQuestion(caller, id));
  if (!row) throw errors.notFound(NOUN);
  return present(MailQuestion, row);
};

/** The open questions of an organization, newest first. A page reads two rows more than it shows. */
export const list = (caller: Caller, query: ListQuery): Promise<Listing<MailQuestion>> =>
  listRows(
    caller,
    NOUN,
    query,
    {
      partition: keys.openQuestion.partition(caller),
      newestFirst: true,
      // The one at the cursor, and the one that says whether there is a next page.
      pageSize: query.limit && query.limit + 2,
    },
    (row) => present(MailQuestion, row),
  );

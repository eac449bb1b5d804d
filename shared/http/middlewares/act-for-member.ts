import * as z from 'zod';
import type { KeyCaller, PersonCaller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { keys } from '../../db/table/keys.ts';
import { getRow } from '../../db/table/rows.ts';
import { Uuid } from '../../schemas/common.ts';
import type { Operation } from '../operation/operation.ts';
import { wholeHeader } from '../request/headers.ts';
import { validated } from '../request/validation.ts';
import type { HttpRequest, Middleware } from './chain.ts';

/** In lower case. */
const NAME = 'on-behalf-of';
const Header = z.object({ [NAME]: Uuid });

/** The user id that the header names. @throws ApiError 422 */
const userIn = (text: string): string => {
  const read = validated('header', Header, { [NAME]: text.trim() });
  if ('problems' in read) throw errors.validationFailed(read.problems);
  return read.data[NAME];
};

/**
 * The person for whom a key acts. A member who is unknown, of another organization, not active or a key looks the same,
 * so that a key learns nothing. One read.
 * @throws ApiError 403
 */
const personFor = async (key: KeyCaller, userId: string): Promise<PersonCaller> => {
  const member = await getRow(key, keys.one(key, 'MEMBER', userId));
  if (member?.status !== 'active' || member.role === 'api') throw errors.notOnBehalf();
  const { org_id, key_id, cursor_secret } = key;
  return {
    org_id,
    user_id: userId,
    name: member.name,
    role: member.role,
    acted_via_key_id: key_id,
    ...(cursor_secret !== undefined && { cursor_secret }),
  };
};

/**
 * Makes the member whom `On-Behalf-Of` names the caller, for a key that may act for members. The request then has the
 * rights that both the key and the member have. An operation that does not take the header refuses it, because it would
 * record the key instead of the person; so does the app, where people act for themselves.
 */
export const actForMember = ({ actsFor }: Operation): Middleware => ({
  before: async ({ event, internal }: HttpRequest) => {
    const text = wholeHeader(event, NAME);
    if (text === undefined) return;
    const { key } = internal;
    if (!actsFor || !key) throw errors.onBehalfNotTaken();
    if (!key.act_for_members) throw errors.keyActsForNobody();
    const person = await personFor(key, userIn(text));
    internal.caller = person;
    if (!actsFor.includes(person.role)) throw errors.roleNotAllowed(person.role);
  },
});

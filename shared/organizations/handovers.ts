import type { PersonCaller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { timeAfter } from '../base/time.ts';
import type { AuditedAction } from '../schemas/audit.ts';
import type { Handover } from '../schemas/organization.ts';
import { audit } from '../table/audit.ts';
import type { Work } from '../table/change.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { getRows } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { type AccessEvent, accessMails } from './members/access-mails.ts';
import * as members from './members/members.ts';
import { edit, ownerIsAdmin, type PresentOrganization } from './organizations.ts';

/*
 * How an organization gets another owner: the owner names an active admin, who accepts. Until then nothing changes. An
 * admin who could make himself the owner could take the organization away from everybody else.
 */

/** How long the named admin can accept, in milliseconds. */
const HANDOVER_MS = 7 * 86_400_000;

/**
 * The handover that waits for an answer; undefined when there is none, it has expired, or the operator has set another
 * owner since.
 * @param now ISO 8601
 */
export const pendingHandover = (
  { handover, owner_user_id }: Pick<StoredOrganization, 'handover' | 'owner_user_id'>,
  now: string,
): Handover | undefined => {
  if (!handover || handover.expires_at <= now || handover.named_by !== owner_user_id) return undefined;
  const { named_by: _, ...pending } = handover;
  return pending;
};

/** @throws ApiError 404 when nothing is pending */
const expectPending = (organization: StoredOrganization, { now }: Work): Handover => {
  const pending = pendingHandover(organization, now);
  if (!pending) throw errors.notFound('handover');
  return pending;
};

/** @throws ApiError 403 for anybody but the owner */
const expectOwner = ({ owner_user_id }: StoredOrganization, { user_id }: Work): void => {
  if (user_id !== owner_user_id) throw errors.notTheOwner();
};

/** @throws ApiError 403 for anybody but the admin whom the owner has named */
const expectNamed = ({ user_id }: Handover, work: Work): void => {
  if (work.user_id !== user_id) throw errors.notTheNextOwner();
};

/** Mails to the owner and the admin who is named, and a line in the audit log. Two reads. */
const stepWrites = async (
  work: Work,
  { owner_user_id }: StoredOrganization,
  { user_id, expires_at }: Handover,
  action: AuditedAction,
  event: AccessEvent,
): Promise<Write[]> => {
  const [owner, named] = await getRows(work, [members.key(work, owner_user_id), members.key(work, user_id)]);
  const mail = {
    event,
    member: named?.name ?? '',
    former: owner?.name ?? '',
    ...(event === 'owner_named' && { until: expires_at }),
  };
  const isAccepted = event === 'owner_changed';
  const changes = isAccepted ? { owner_user_id: { from: owner_user_id, to: user_id } } : undefined;
  return [audit(work, action, user_id, changes), ...accessMails(work, mail, [owner, named])];
};

/**
 * Names an admin as the next owner, for 7 days.
 * @throws ApiError 403 for anybody but the owner; 400 for somebody who is not an active admin; 409 for the owner, and
 *   while somebody is named
 */
export const name = (caller: PersonCaller, userId: string): Promise<Handover> => {
  let named: Handover | undefined;
  return edit(
    caller,
    async (current, work) => {
      expectOwner(current, work);
      if (userId === current.owner_user_id) throw errors.ownsAlready();
      if (pendingHandover(current, work.now)) throw errors.handoverPending();
      named = { user_id: userId, named_at: work.now, expires_at: timeAfter(work.now, HANDOVER_MS) };
      return {
        next: { ...current, handover: { ...named, named_by: current.owner_user_id } },
        writes: [
          ownerIsAdmin(work, userId, 'user_id'),
          ...(await stepWrites(work, current, named, 'organization.owner_named', 'owner_named')),
        ],
      };
    },
    async () => named!,
  );
};

/** What the end of a handover changes beside the handover itself. */
interface Ending {
  next?: Pick<StoredOrganization, 'owner_user_id'>;
  writes?: readonly Write[];
}

/**
 * Ends the pending handover.
 * @param decide what else changes; throws for anybody who may not end it
 * @throws ApiError 404 when nothing is pending
 */
const end = <Reply>(
  caller: PersonCaller,
  present: PresentOrganization<Reply>,
  [action, event]: readonly [AuditedAction, AccessEvent],
  decide: (work: Work, handover: Handover, organization: StoredOrganization) => Ending,
): Promise<Reply> =>
  edit(
    caller,
    async (current, work) => {
      const pending = expectPending(current, work);
      const { next, writes = [] } = decide(work, pending, current);
      return {
        next: { ...current, ...next, handover: null },
        writes: [...writes, ...(await stepWrites(work, current, pending, action, event))],
      };
    },
    present,
  );

/**
 * Makes the caller, whom the owner has named, the owner. The former owner stays an admin.
 * @throws ApiError 404 when nothing is pending; 403 for anybody else; 400 for somebody who is no active admin any more
 */
export const accept = <Reply>(caller: PersonCaller, present: PresentOrganization<Reply>): Promise<Reply> =>
  end(caller, present, ['organization.owner_accepted', 'owner_changed'], (work, pending) => {
    expectNamed(pending, work);
    return {
      next: { owner_user_id: work.user_id },
      writes: [ownerIsAdmin(work, work.user_id, 'user_id')],
    };
  });

/** Declines to become the owner. @throws ApiError 404 when nothing is pending; 403 for anybody but the named admin */
export const decline = <Reply>(caller: PersonCaller, present: PresentOrganization<Reply>): Promise<Reply> =>
  end(caller, present, ['organization.owner_declined', 'owner_declined'], (work, pending) => {
    expectNamed(pending, work);
    return {};
  });

/** Takes back whom the owner has named. @throws ApiError 403 for anybody but the owner; 404 when nothing is pending */
export const withdraw = <Reply>(caller: PersonCaller, present: PresentOrganization<Reply>): Promise<Reply> =>
  end(caller, present, ['organization.owner_withdrawn', 'owner_withdrawn'], (work, _, organization) => {
    expectOwner(organization, work);
    return {};
  });

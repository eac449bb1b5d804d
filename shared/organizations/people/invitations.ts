import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { timeAfter } from '../../base/time.ts';
import type { MailNote } from '../../domain/mail/progress.ts';
import type { Member, NewMember } from '../../schemas/member.ts';
import { audit } from '../../table/audit.ts';
import { change, NOTHING, type Work } from '../../table/change.ts';
import { editRow } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import type { Invitation, StoredMember } from '../../table/entities/organization.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import { getRow } from '../../table/rows.ts';
import type { InvitationTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { createLink } from '../links/links.ts';
import * as members from '../members/members.ts';

/** How long an invitation can be joined, in milliseconds. */
const INVITATION_MS = 7 * 86_400_000;

const newInvitation = ({ now, name }: Work): Invitation => ({
  id: uuidv7(),
  expires_at: timeAfter(now, INVITATION_MS),
  invited_by: name,
});

const mailOf = (work: Work, user_id: string, { id }: Invitation): Write =>
  enqueue(work, 'mail', { what: 'invitation', user_id, invitation_id: id });

/**
 * Invites a person, who signs in with the address and then joins or declines; see `own-invitations.ts`. Until then the
 * member gets no other mail, and nobody can act for them. The mail worker makes the token of the link, so no token is
 * stored.
 * @throws ApiError 409 for the address of another member
 */
export const invite = (
  caller: Caller,
  { name, email, role, position = null, phone = null }: NewMember,
): Promise<Member> =>
  change(caller, (work) => {
    const invitation = newInvitation(work);
    const member = members.newMember(work, {
      user_id: uuidv7(),
      email,
      role,
      position,
      phone,
      name: name ?? email.split('@')[0]!,
      status: 'invited',
      invitation,
    });
    return {
      writes: [
        ...members.memberWrites(caller, member),
        mailOf(work, member.user_id, invitation),
        audit(work, 'member.invited', member.user_id, { role: { from: null, to: member.role } }),
        emit(work, 'member.created', members.toMember(member)),
      ],
      reply: members.toMember(member),
    };
  });

/**
 * Invites a person once more, for 7 days from now. The former link ends.
 * @throws ApiError 404; 409 for a member who is not invited
 */
export const resend = (caller: Caller, userId: string): Promise<Member> =>
  editRow<StoredMember, Member>({
    caller,
    noun: 'member',
    key: members.key(caller, userId),
    decide: (current, work) => {
      if (current.status !== 'invited') throw errors.memberStatus(current.status, 'invited');
      const invitation = newInvitation(work);
      return {
        next: { ...current, invitation },
        writes: [mailOf(work, userId, invitation), audit(work, 'member.invitation_sent', userId)],
      };
    },
    event: (member, work) => emit(work, 'member.updated', members.toMember(member)),
    present: members.toMember,
  });

/**
 * Notes what became of the mail of an invitation. An invitation whose mail waits can be joined for 7 days after it is
 * sent.
 * @param decide the note after the one that stands there; undefined leaves it
 */
export const noteMail = (
  caller: Caller,
  { user_id, invitation_id }: Pick<InvitationTask, 'user_id' | 'invitation_id'>,
  decide: (known: MailNote | undefined, now: string) => MailNote | undefined,
): Promise<void> =>
  change(caller, async (work) => {
    const key = members.key(work, user_id);
    const { invitation, invitation_mailed, version } = (await getRow(work, key)) ?? {};
    if (invitation?.id !== invitation_id) return NOTHING;
    const known = invitation_mailed?.invitation_id === invitation_id ? invitation_mailed : undefined;
    const note = decide(known, work.now);
    if (!note) return NOTHING;
    const expires_at = note.send_after ? timeAfter(note.send_after, INVITATION_MS) : invitation.expires_at;
    const set = { invitation: { ...invitation, expires_at }, invitation_mailed: { ...note, invitation_id } };
    return {
      writes: [write.update(key, { set, add: { version: 1 } }, hasValues({ version }))],
      reply: undefined,
    };
  });

/** An invitation that its mail can be sent for. */
export interface OpenInvitation {
  member: StoredMember;
  invitation: Invitation;
  /** Makes the token of the link in the mail. */
  newToken: () => Promise<string>;
}

/** The invitation of a task; undefined when it was accepted, withdrawn or sent anew in the meantime. */
export const open = async (
  caller: Caller,
  { user_id, invitation_id }: InvitationTask,
): Promise<OpenInvitation | undefined> => {
  const member = await members.find(caller, user_id);
  const { invitation } = member ?? {};
  if (!member || invitation?.id !== invitation_id) return undefined;
  const until = Date.parse(invitation.expires_at);
  const newToken = () => createLink(caller, 'invite', { user_id, invitation_id }, until);
  return { member, invitation, newToken };
};

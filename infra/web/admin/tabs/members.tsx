import { useEffect, useState } from 'preact/hooks';
import { PERSON_ROLES } from '../../../../shared/base/caller.ts';
import type { ApiKey as ListedKey } from '../../../../shared/schemas/api-key.ts';
import type { Member } from '../../../../shared/schemas/member.ts';
import type { Organization } from '../../../../shared/schemas/organization.ts';
import { send } from '../api.ts';
import { hasDraft, useDraft } from '../drafts.ts';
import { dateText, fill } from '../formats.ts';
import { type Pages, useLoaded, usePages, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { Confirm, FormDialog } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { problemOf, RadioField, TextField } from '../ui/fields.tsx';
import { isNarrowed, Narrow, narrowed, type Narrowing } from '../ui/narrow.tsx';
import { Button, Chip, Foreign, type Mood, NoneFits, Skeleton, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { type Column, More, Table } from '../ui/table.tsx';

/** People alone: the identities of API keys are in another tab. */
export const PEOPLE = `/members?${PERSON_ROLES.map((role) => `role=${role}`).join('&')}`;

const DRAFT = 'invitation';

const MOODS: Record<Member['status'], Mood> = { active: 'good', invited: 'warn', suspended: 'bad' };

export const roleText = (role: Member['role']): string => (role === 'api' ? 'API' : t.members[role]);

const ROLES = PERSON_ROLES.map((role) => [role, t.members[role], t.members[`${role}Help`]] as const);

const columnsFor = (ownerId: string | undefined): Column<Member>[] => [
  {
    title: t.common.name,
    cell: ({ name, email, position }) => (
      <>
        <bdi>{name}</bdi>
        <Foreign>{[email, position].filter(Boolean).join(' · ')}</Foreign>
      </>
    ),
  },
  {
    title: t.members.role,
    cell: ({ user_id, role }) => (
      <>
        {roleText(role)} {user_id === ownerId && <Chip mood="">{t.org.owner}</Chip>}
      </>
    ),
  },
  {
    title: t.common.status,
    cell: ({ status, invitation_expires_at, acting_consented_at }) => (
      <>
        <Chip mood={MOODS[status]}>{t.members[status]}</Chip>
        {acting_consented_at && <span class="sub">{t.members.acting}</span>}
        {invitation_expires_at && (
          <span class="sub">{fill(t.members.until, { date: dateText(invitation_expires_at) })}</span>
        )}
      </>
    ),
  },
  { title: t.members.lastActive, cell: ({ last_active_at }) => <TimeOrDash at={last_active_at} /> },
];

const NOBODY = { email: '', name: '', role: 'inspector', position: '', phone: '' };

/** Blank texts are none. */
const orNone = (text: string): string | null => text.trim() || null;

interface ChangeProps {
  members: Pages<Member>;
  onClose: () => void;
}

const InviteDialog = ({ members, onClose }: ChangeProps) => {
  const draft = useDraft(DRAFT, NOBODY);
  const work = useWork();
  const { email, name, role, position, phone } = { ...NOBODY, ...draft.changes };
  const close = () => {
    draft.drop();
    onClose();
  };
  const invite = () =>
    work.run(async () => {
      const body = {
        email: email.trim(),
        role,
        ...(name.trim() && { name }),
        position: orNone(position),
        phone: orNone(phone),
      };
      await send('POST', '/members', { body });
      close();
      say(fill(t.members.invitedDone, { email: body.email }));
      await members.reload();
    });
  return (
    <FormDialog
      title={t.members.invite}
      submit={t.members.inviteButton}
      fields={['email', 'name', 'position', 'phone']}
      work={work}
      onSubmit={() => void invite()}
      onClose={close}
    >
      <TextField
        label={t.members.email}
        help={t.members.inviteHelp}
        type="email"
        value={email}
        wrong={problemOf(work.failure, 'email')}
        onChange={(value) => draft.change({ email: value })}
      />
      <RadioField
        legend={t.members.role}
        value={role}
        options={ROLES}
        onChange={(value) => draft.change({ role: value })}
      />
      <PersonFields
        value={{ name, position, phone }}
        isNameOptional
        problem={(field) => problemOf(work.failure, field)}
        onChange={draft.change}
      />
    </FormDialog>
  );
};

interface PersonFieldsProps {
  value: { name: string; position: string; phone: string };
  isNameOptional?: boolean;
  problem: (field: string) => string | undefined;
  onChange: (change: { name?: string; position?: string; phone?: string }) => void;
}

const PersonFields = ({ value, isNameOptional, problem, onChange }: PersonFieldsProps) => (
  <>
    <TextField
      label={t.common.name}
      isOptional={isNameOptional ?? false}
      value={value.name}
      most={200}
      wrong={problem('name')}
      onChange={(name) => onChange({ name })}
    />
    <div class="pair">
      <TextField
        label={t.members.position}
        isOptional
        value={value.position}
        most={200}
        wrong={problem('position')}
        onChange={(position) => onChange({ position })}
      />
      <TextField
        label={t.members.phone}
        isOptional
        type="tel"
        isLeftToRight
        value={value.phone}
        most={50}
        wrong={problem('phone')}
        onChange={(phone) => onChange({ phone })}
      />
    </div>
  </>
);

const EditDialog = ({ member, members, onClose }: ChangeProps & { member: Member }) => {
  const { name, role, position, phone } = member;
  const original = { name, role: role as string, position: position ?? '', phone: phone ?? '' };
  const draft = useDraft(`member ${member.user_id}`, original);
  const work = useWork();
  const value = { ...original, ...draft.changes };
  const close = () => {
    draft.drop();
    onClose();
  };
  const save = () =>
    work.run(async () => {
      const { position: newPosition, phone: newPhone, ...others } = draft.changes;
      const body = {
        ...others,
        ...(newPosition !== undefined && { position: orNone(newPosition) }),
        ...(newPhone !== undefined && { phone: orNone(newPhone) }),
      };
      await send('PATCH', `/members/${member.user_id}`, { body });
      close();
      say(t.common.saved);
      await members.reload();
    });
  return (
    <FormDialog
      title={fill(t.members.editTitle, { name })}
      submit={t.common.save}
      fields={['name', 'position', 'phone']}
      work={work}
      onSubmit={() => void save()}
      onClose={close}
    >
      <RadioField
        legend={t.members.role}
        value={value.role}
        options={ROLES}
        onChange={(chosen) => draft.change({ role: chosen })}
      />
      <PersonFields
        value={value}
        problem={(field) => problemOf(work.failure, field)}
        onChange={draft.change}
      />
    </FormDialog>
  );
};

/** What can be done with a member after a question. */
const STEPS = {
  suspend: {
    action: t.members.suspend,
    title: t.members.suspendTitle,
    text: t.members.suspendText,
    done: t.members.suspendedDone,
    send: ({ user_id }: Member, query: string) =>
      send('PATCH', `/members/${user_id}${query}`, { body: { status: 'suspended' } }),
  },
  remove: {
    action: t.members.remove,
    title: t.members.removeTitle,
    text: t.members.removeText,
    done: t.members.removedDone,
    send: ({ user_id }: Member, query: string) => send('DELETE', `/members/${user_id}${query}`),
  },
} as const;

interface StepProps extends ChangeProps {
  member: Member;
  step: keyof typeof STEPS;
}

const StepDialog = ({ member, step, members, onClose }: StepProps) => {
  const { action, title, text, done, send: sendStep } = STEPS[step];
  const { name, user_id } = member;
  const keys = useLoaded<ListedKey[]>('/api-keys');
  const [ofKeys, setOfKeys] = useState('revoke');
  const work = useWork();
  const made = (keys.value ?? []).filter(
    ({ created_by, status }) => created_by === user_id && status === 'active',
  );
  const confirm = () =>
    work.run(async () => {
      await sendStep(member, made.length > 0 ? `?keys=${ofKeys}` : '');
      onClose();
      say(fill(done, { name }));
      await members.reload();
    });
  return (
    <Confirm
      title={fill(title, { name })}
      text={fill(text, { name })}
      action={action}
      work={work}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <FailureNotice failure={keys.failure} onRetry={() => void keys.reload()} />
      {made.length > 0 && (
        <>
          <p>{fill(t.members.keysLead, { name })}</p>
          <ul>
            {made.map((key) => (
              <li key={key.id}>
                <bdi>{key.name}</bdi>
              </li>
            ))}
          </ul>
          <RadioField
            legend={t.members.keysQuestion}
            value={ofKeys}
            options={[
              ['revoke', t.members.keysRevoke, t.members.keysRevokeHelp],
              ['keep', t.members.keysKeep, t.members.keysKeepHelp],
            ]}
            onChange={setOfKeys}
          />
        </>
      )}
    </Confirm>
  );
};

type Open = { what: 'invite' } | { what: 'edit' | keyof typeof STEPS; member: Member };

interface ActionsProps {
  member: Member;
  onOpen: (open: Open) => void;
  onPromptly: (work: () => Promise<unknown>, done: string) => void;
}

const Actions = ({ member, onOpen, onPromptly }: ActionsProps) => {
  const { name, email, status, user_id } = member;
  const path = `/members/${user_id}`;
  const button = (text: string, onClick: () => void, kind: 'plain' | 'plain danger' = 'plain') => (
    <Button kind={kind} label={`${text}: ${name}`} onClick={onClick}>
      {text}
    </Button>
  );
  return (
    <>
      {button(t.common.edit, () => onOpen({ what: 'edit', member }))}
      {status === 'invited' &&
        button(t.members.resend, () =>
          onPromptly(() => send('POST', `${path}/invitation`), fill(t.members.invitedDone, { email })),
        )}
      {status === 'active' && button(t.members.suspend, () => onOpen({ what: 'suspend', member }))}
      {status === 'suspended' &&
        button(t.members.reactivate, () =>
          onPromptly(
            () => send('PATCH', path, { body: { status: 'active' } }),
            fill(t.members.reactivatedDone, { name }),
          ),
        )}
      {button(t.members.remove, () => onOpen({ what: 'remove', member }), 'plain danger')}
    </>
  );
};

const NARROWING: Narrowing<Member> = {
  texts: ({ user_id, name, email, position }) => [user_id, name, email, position],
  status: ({ status }) => status,
  statuses: { active: t.members.active, invited: t.members.invited, suspended: t.members.suspended },
  orders: {
    created: { label: t.common.created, by: ({ created_at }) => created_at },
    name: { label: t.common.name, by: ({ name }) => name },
    role: { label: t.members.role, by: ({ role }) => roleText(role) },
    active: { label: t.members.lastActive, by: ({ last_active_at }) => last_active_at, isNewestFirst: true },
  },
};

/** The people of the organization, and who is invited. */
export const Members = () => {
  const members = usePages<Member>(PEOPLE);
  const organization = useLoaded<Organization>('/organization');
  const [open, setOpen] = useState<Open | undefined>(hasDraft(DRAFT) ? { what: 'invite' } : undefined);
  const work = useWork();
  const rows = narrowed(members.value ?? [], NARROWING);
  // Whoever looks for somebody finds them on any page.
  useEffect(() => {
    if (isNarrowed()) members.more?.();
  });
  const close = () => setOpen(undefined);
  const promptly = (step: () => Promise<unknown>, done: string) =>
    void work.run(async () => {
      await step();
      say(done);
      await members.reload();
    });
  return (
    <>
      <div class="bar">
        <Button kind="first" onClick={() => setOpen({ what: 'invite' })}>
          {t.members.invite}
        </Button>
      </div>
      <FailureNotice failure={work.failure} />
      <FailureNotice failure={members.failure} onRetry={() => void members.reload()} />
      {!members.value && !members.failure && <Skeleton />}
      {members.value && <Narrow {...NARROWING} />}
      {members.value && rows.length === 0 && !members.isLoading && <NoneFits />}
      {rows.length > 0 && (
        <Table
          caption={t.tabs.members.name}
          columns={columnsFor(organization.value?.owner_user_id)}
          rows={rows}
          keyOf={({ user_id }) => user_id}
          actions={(member) => <Actions member={member} onOpen={setOpen} onPromptly={promptly} />}
        />
      )}
      <More more={members.more} isLoading={members.isLoading} />
      {open?.what === 'invite' && <InviteDialog members={members} onClose={close} />}
      {open?.what === 'edit' && <EditDialog member={open.member} members={members} onClose={close} />}
      {(open?.what === 'suspend' || open?.what === 'remove') && (
        <StepDialog member={open.member} step={open.what} members={members} onClose={close} />
      )}
    </>
  );
};

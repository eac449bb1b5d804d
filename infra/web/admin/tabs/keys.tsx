import { useState } from 'preact/hooks';
import type { ApiKey as ListedKey } from '../../../../shared/schemas/api-key.ts';
import { send } from '../api.ts';
import { dropDraft, hasDraft, useDraft } from '../drafts.ts';
import { fill } from '../formats.ts';
import { type Loaded, useLoaded, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { Confirm, FormDialog } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { CheckField, problemOf, RadioField, SelectField, TextField } from '../ui/fields.tsx';
import { Button, Chip, Empty, type Mood, Skeleton, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { type Column, Table } from '../ui/table.tsx';

const PATH = '/api-keys';
const DRAFT = 'new key';

const MOODS: Record<ListedKey['status'], Mood> = { active: 'good', expired: 'warn', revoked: '' };

/** The columns of the contract, "API key". */
const COLUMNS: Column<ListedKey>[] = [
  { title: t.common.name, cell: ({ name }) => <bdi>{name}</bdi> },
  {
    title: t.keys.prefix,
    cell: ({ prefix }) => (
      <code>
        <bdi>{prefix}…</bdi>
      </code>
    ),
  },
  {
    title: t.keys.access,
    cell: ({ access, act_for_members: actsForMembers }) => (
      <>
        {t.keys[access]}
        {actsForMembers && <span class="sub">{t.keys.actForMembers}</span>}
      </>
    ),
  },
  { title: t.common.created, cell: ({ created_at }) => <TimeOrDash at={created_at} isDay /> },
  { title: t.keys.lastUsed, cell: ({ last_used_at }) => <TimeOrDash at={last_used_at} /> },
  { title: t.keys.expires, cell: ({ expires_at }) => <TimeOrDash at={expires_at} isDay /> },
  { title: t.common.status, cell: ({ status }) => <Chip mood={MOODS[status]}>{t.keys[status]}</Chip> },
];

const ORIGINAL = { name: '', access: 'read_write', expires: 'never', act_for_members: false };

interface NewKeyProps {
  onClose: () => void;
  onCreated: (key: ListedKey & { key: string }) => void;
}

const NewKeyDialog = ({ onClose, onCreated }: NewKeyProps) => {
  const draft = useDraft(DRAFT, ORIGINAL);
  const work = useWork();
  const { name, access, expires, act_for_members: isChecked } = { ...ORIGINAL, ...draft.changes };
  // A key that may only read acts for nobody. What was checked stands again when the access is changed back.
  const mayAct = access === 'read_write';
  const create = () =>
    work.run(async () => {
      const created = await send<ListedKey & { key: string }>('POST', PATH, {
        body: { name, access, expires, act_for_members: mayAct && isChecked },
      });
      draft.drop();
      onCreated(created);
    });
  return (
    <FormDialog
      title={t.keys.create}
      submit={t.keys.createButton}
      fields={['name']}
      work={work}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <TextField
        label={t.common.name}
        help={t.keys.nameHelp}
        value={name}
        most={200}
        wrong={problemOf(work.failure, 'name')}
        onChange={(value) => draft.change({ name: value })}
      />
      <RadioField
        legend={t.keys.access}
        value={access}
        options={[
          ['read_write', t.keys.read_write],
          ['read_only', t.keys.read_only],
        ]}
        onChange={(value) => draft.change({ access: value })}
      />
      {mayAct && (
        <CheckField
          label={t.keys.actForMembers}
          help={t.keys.actForMembersHelp}
          isChecked={isChecked}
          onChange={(value) => draft.change({ act_for_members: value })}
        />
      )}
      <SelectField
        label={t.keys.expires}
        value={expires}
        options={[
          ['never', t.common.never],
          ['30d', t.keys.in30d],
          ['90d', t.keys.in90d],
          ['365d', t.keys.in365d],
        ]}
        onChange={(value) => draft.change({ expires: value })}
      />
    </FormDialog>
  );
};

interface RevokeProps {
  listed: ListedKey;
  keys: Loaded<ListedKey[]>;
  onClose: () => void;
}

const RevokeDialog = ({ listed, keys, onClose }: RevokeProps) => {
  const work = useWork();
  const revoke = () =>
    work.run(async () => {
      await send('POST', `${PATH}/${listed.id}/revoke`);
      onClose();
      say(fill(t.keys.revokedDone, { name: listed.name }));
      await keys.reload();
    });
  return (
    <Confirm
      title={fill(t.keys.revokeTitle, { name: listed.name })}
      text={t.keys.revokeText}
      action={t.keys.revoke}
      work={work}
      onConfirm={() => void revoke()}
      onClose={onClose}
    />
  );
};

/** The keys of the organization. A new one is shown once. */
export const Keys = () => {
  const keys = useLoaded<ListedKey[]>(PATH);
  const [isNew, setIsNew] = useState(() => hasDraft(DRAFT));
  const [created, setCreated] = useState<ListedKey & { key: string }>();
  const [revoking, setRevoking] = useState<ListedKey>();
  return (
    <>
      <div class="bar">
        <Button kind="first" onClick={() => setIsNew(true)}>
          {t.keys.create}
        </Button>
      </div>
      <FailureNotice failure={keys.failure} onRetry={() => void keys.reload()} />
      {!keys.value && !keys.failure && <Skeleton />}
      {keys.value?.length === 0 && <Empty>{t.keys.empty}</Empty>}
      {keys.value && keys.value.length > 0 && (
        <Table
          caption={t.tabs['api-keys'].name}
          columns={COLUMNS}
          rows={keys.value}
          keyOf={({ id }) => id}
          actions={(listed) =>
            listed.status === 'revoked' ? null : (
              <Button
                kind="plain danger"
                label={`${t.keys.revoke}: ${listed.name}`}
                onClick={() => setRevoking(listed)}
              >
                {t.keys.revoke}
              </Button>
            )
          }
        />
      )}
      {isNew && (
        <NewKeyDialog
          onClose={() => {
            dropDraft(DRAFT);
            setIsNew(false);
          }}
          onCreated={(key) => {
            setIsNew(false);
            setCreated(key);
            void keys.reload();
          }}
        />
      )}
      {created && (
        <SecretDialog
          title={fill(t.keys.createdTitle, { name: created.name })}
          label={t.keys.secret}
          secret={created.key}
          warning={t.keys.warning}
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoking && <RevokeDialog listed={revoking} keys={keys} onClose={() => setRevoking(undefined)} />}
    </>
  );
};

import { useState } from 'preact/hooks';
import type { ApiKey as ListedKey } from '../../../../shared/schemas/api-key.ts';
import { send } from '../api.ts';
import { dropDraft, hasDraft, useDraft } from '../drafts.ts';
import { fill, timeText } from '../formats.ts';
import { type Loaded, useLoaded, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { Confirm, FormDialog } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { CheckField, problemOf, RadioField, SelectField, TextField } from '../ui/fields.tsx';
import { Narrow, narrowed, type Narrowing } from '../ui/narrow.tsx';
import { Button, Chip, Empty, type Mood, NoneFits, Skeleton, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { type KeyLimits, LIMIT_FIELDS, limitsBody, LimitsFields, NO_LIMITS } from './key-limits.tsx';

const PATH = '/api-keys';
const DRAFT = 'new key';

const MOODS: Record<ListedKey['status'], Mood> = { active: 'good', expired: 'warn', revoked: '' };

const Limit = ({ values }: { values: readonly string[] }) => (
  <span class="sub">
    <bdi>{values.join(', ')}</bdi>
  </span>
);

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
    cell: ({ access, act_for_members: actsForMembers, scopes, networks }) => (
      <>
        {t.keys[access]}
        {actsForMembers && <span class="sub">{t.keys.actForMembers}</span>}
        {scopes && <Limit values={scopes} />}
        {networks && <Limit values={networks} />}
      </>
    ),
  },
  {
    title: t.common.created,
    cell: ({ created_at, created_by_name: name }) => (
      <>
        <TimeOrDash at={created_at} isDay />
        {name !== null && <span class="sub">{fill(t.keys.by, { name })}</span>}
      </>
    ),
  },
  {
    title: t.keys.lastUsed,
    cell: ({ last_used_at, last_used_from: address }) => (
      <>
        <TimeOrDash at={last_used_at} />
        {address !== null && <span class="sub">{fill(t.keys.from, { address })}</span>}
      </>
    ),
  },
  {
    title: t.keys.expires,
    cell: ({ expires_at, is_too_old: isTooOld }) => (
      <>
        <TimeOrDash at={expires_at} isDay />
        {isTooOld && <span class="sub">{t.keys.tooOld}</span>}
      </>
    ),
  },
  {
    title: t.common.status,
    cell: ({ status, previous }) => (
      <>
        <Chip mood={MOODS[status]}>{t.keys[status]}</Chip>
        {previous && <span class="sub">{fill(t.keys.formerUntil, { date: timeText(previous.until) })}</span>}
      </>
    ),
  },
];

const ORIGINAL = {
  name: '',
  access: 'read_write',
  expires: 'never',
  act_for_members: false,
  ...NO_LIMITS,
};

interface NewKeyProps {
  onClose: () => void;
  onCreated: (key: ListedKey & { key: string }) => void;
}

const NewKeyDialog = ({ onClose, onCreated }: NewKeyProps) => {
  const draft = useDraft(DRAFT, ORIGINAL);
  const work = useWork();
  const value = { ...ORIGINAL, ...draft.changes };
  const { name, access, expires, act_for_members: isChecked } = value;
  // A key that may only read acts for nobody. What was checked stands again when the access is changed back.
  const mayAct = access === 'read_write';
  const create = () =>
    work.run(async () => {
      const created = await send<ListedKey & { key: string }>('POST', PATH, {
        body: { name, access, expires, act_for_members: mayAct && isChecked, ...limitsBody(value) },
      });
      draft.drop();
      onCreated(created);
    });
  return (
    <FormDialog
      title={t.keys.create}
      submit={t.keys.createButton}
      fields={['name', 'expires', ...LIMIT_FIELDS]}
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
        onChange={(text) => draft.change({ name: text })}
      />
      <RadioField
        legend={t.keys.access}
        value={access}
        options={[
          ['read_write', t.keys.read_write],
          ['read_only', t.keys.read_only],
        ]}
        onChange={(chosen) => draft.change({ access: chosen })}
      />
      {mayAct && (
        <CheckField
          label={t.keys.actForMembers}
          help={t.keys.actForMembersHelp}
          isChecked={isChecked}
          onChange={(is) => draft.change({ act_for_members: is })}
        />
      )}
      <SelectField
        label={t.keys.expires}
        value={expires}
        wrong={problemOf(work.failure, 'expires')}
        options={[
          ['never', t.common.never],
          ['30d', t.keys.in30d],
          ['90d', t.keys.in90d],
          ['365d', t.keys.in365d],
        ]}
        onChange={(chosen) => draft.change({ expires: chosen })}
      />
      <LimitsFields value={value} mayWrite={mayAct} failure={work.failure} onChange={draft.change} />
    </FormDialog>
  );
};

interface OneProps {
  listed: ListedKey;
  keys: Loaded<ListedKey[]>;
  onClose: () => void;
}

/** A key whose secret is shown once. */
interface Shown {
  title: string;
  secret: string;
}

/** How long the secret before a rotation can go on working, in hours, with its words. */
const OVERLAPS = [
  ['0', t.keys.overlapNone],
  ['24', t.keys.overlapDay],
  ['168', t.keys.overlapWeek],
] as const;

const RotateDialog = ({
  listed,
  keys,
  onClose,
  onSecret,
}: OneProps & { onSecret: (shown: Shown) => void }) => {
  const [overlap, setOverlap] = useState('24');
  const work = useWork();
  const { name } = listed;
  const rotate = () =>
    work.run(async () => {
      const body = { overlap_hours: Number(overlap) };
      const { key } = await send<{ key: string }>('POST', `${PATH}/${listed.id}/rotate`, { body });
      onClose();
      onSecret({ title: fill(t.keys.rotatedTitle, { name }), secret: key });
      await keys.reload();
    });
  return (
    <FormDialog
      title={fill(t.keys.rotateTitle, { name })}
      submit={t.keys.rotate}
      fields={[]}
      work={work}
      onSubmit={() => void rotate()}
      onClose={onClose}
    >
      <p>{t.keys.rotateText}</p>
      <SelectField label={t.keys.overlap} value={overlap} options={OVERLAPS} onChange={setOverlap} />
    </FormDialog>
  );
};

const LimitsDialog = ({ listed, keys, onClose }: OneProps) => {
  const { id, name, access } = listed;
  const [value, setValue] = useState<KeyLimits>({
    scopes: listed.scopes,
    networks: listed.networks?.join(', ') ?? '',
  });
  const work = useWork();
  const save = () =>
    work.run(async () => {
      await send('PATCH', `${PATH}/${id}`, { body: limitsBody(value) });
      onClose();
      say(t.common.saved);
      await keys.reload();
    });
  return (
    <FormDialog
      title={fill(t.keys.limitsTitle, { name })}
      submit={t.common.save}
      fields={LIMIT_FIELDS}
      work={work}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <LimitsFields
        value={value}
        mayWrite={access === 'read_write'}
        failure={work.failure}
        onChange={(changes) => setValue({ ...value, ...changes })}
      />
    </FormDialog>
  );
};

const RevokeDialog = ({ listed, keys, onClose }: OneProps) => {
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

/** What can be done with a key that is active. */
const STEPS = [
  ['rotate', t.keys.rotate, 'plain'],
  ['limit', t.keys.limits, 'plain'],
  ['revoke', t.keys.revoke, 'plain danger'],
] as const;
type Step = (typeof STEPS)[number][0];

const NARROWING: Narrowing<ListedKey> = {
  texts: ({ id, user_id, name, prefix, created_by_name: maker }) => [id, user_id, name, prefix, maker],
  status: ({ status }) => status,
  statuses: { active: t.keys.active, expired: t.keys.expired, revoked: t.keys.revoked },
  orders: {
    created: { label: t.common.created, by: ({ created_at }) => created_at, isNewestFirst: true },
    name: { label: t.common.name, by: ({ name }) => name },
    used: { label: t.keys.lastUsed, by: ({ last_used_at }) => last_used_at, isNewestFirst: true },
    expires: { label: t.keys.expires, by: ({ expires_at }) => expires_at ?? '9' },
  },
};

/** The keys of the organization. A new secret is shown once. */
export const Keys = () => {
  const keys = useLoaded<ListedKey[]>(PATH);
  const [isNew, setIsNew] = useState(() => hasDraft(DRAFT));
  const [shown, setShown] = useState<Shown>();
  const [open, setOpen] = useState<{ step: Step; listed: ListedKey }>();
  const rows = narrowed(keys.value ?? [], NARROWING);
  const one = open && { listed: open.listed, keys, onClose: () => setOpen(undefined) };
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
      {keys.value && keys.value.length > 0 && <Narrow {...NARROWING} />}
      {keys.value && keys.value.length > 0 && rows.length === 0 && <NoneFits />}
      {rows.length > 0 && (
        <Table
          caption={t.tabs['api-keys'].name}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          actions={(listed) =>
            STEPS.filter(
              ([step]) => listed.status === 'active' || (listed.status === 'expired' && step === 'revoke'),
            ).map(([step, word, kind]) => (
              <Button
                key={step}
                kind={kind}
                label={`${word}: ${listed.name}`}
                onClick={() => setOpen({ step, listed })}
              >
                {word}
              </Button>
            ))
          }
        />
      )}
      {isNew && (
        <NewKeyDialog
          onClose={() => {
            dropDraft(DRAFT);
            setIsNew(false);
          }}
          onCreated={({ name, key }) => {
            setIsNew(false);
            setShown({ title: fill(t.keys.createdTitle, { name }), secret: key });
            void keys.reload();
          }}
        />
      )}
      {shown && (
        <SecretDialog
          title={shown.title}
          label={t.keys.secret}
          secret={shown.secret}
          warning={t.keys.warning}
          onClose={() => setShown(undefined)}
        />
      )}
      {one && open.step === 'rotate' && <RotateDialog {...one} onSecret={setShown} />}
      {one && open.step === 'limit' && <LimitsDialog {...one} />}
      {one && open.step === 'revoke' && <RevokeDialog {...one} />}
    </>
  );
};

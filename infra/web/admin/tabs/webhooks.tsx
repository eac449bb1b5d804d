import { useState } from 'preact/hooks';
import type { RotatedSecret, Webhook } from '../../../../shared/schemas/webhook.ts';
import { read, send } from '../api.ts';
import { hasDraft, useDraft } from '../drafts.ts';
import { useEdited } from '../edited.ts';
import { fill, startOfDay, timeText } from '../formats.ts';
import { type Loaded, orReload, useLoaded, useWork, type Work } from '../hooks.ts';
import { t } from '../page.ts';
import { Conflict } from '../ui/conflict.tsx';
import { Confirm, FormDialog } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { problemOf, TextField } from '../ui/fields.tsx';
import { First } from '../ui/first.tsx';
import { Button, Chip, Skeleton, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { attemptText } from '../ui/words.ts';
import { Deliveries } from './deliveries.tsx';
import { TypesField } from './event-types.tsx';

const PATH = '/webhooks';
const DRAFT = 'new webhook';
const ORIGINAL = { url: '', description: '', types: ['*'] };
type Fields = typeof ORIGINAL;

interface FieldsProps {
  value: Fields;
  change: (fields: Partial<Fields>) => void;
  work: Work;
}

const EndpointFields = ({ value, change, work }: FieldsProps) => (
  <>
    <TextField
      label={t.webhooks.url}
      help={t.webhooks.urlHelp}
      type="url"
      isLeftToRight
      value={value.url}
      wrong={problemOf(work.failure, 'url')}
      onChange={(url) => change({ url })}
    />
    <TextField
      label={t.webhooks.description}
      isOptional
      value={value.description}
      most={500}
      wrong={problemOf(work.failure, 'description')}
      onChange={(description) => change({ description })}
    />
    <TypesField
      value={value.types}
      wrong={problemOf(work.failure, 'types')}
      onChange={(types) => change({ types })}
    />
  </>
);

const FIELDS = ['url', 'description', 'types'];

/** What is shown once. */
interface Shown {
  title: string;
  secret: string;
}

interface ChangeProps {
  webhooks: Loaded<Webhook[]>;
  onClose: () => void;
}

const NewDialog = ({ webhooks, onClose, onSecret }: ChangeProps & { onSecret: (shown: Shown) => void }) => {
  const draft = useDraft(DRAFT, ORIGINAL);
  const work = useWork();
  const value = { ...ORIGINAL, ...draft.changes };
  const close = () => {
    draft.drop();
    onClose();
  };
  const create = () =>
    work.run(async () => {
      const { secret } = await send<Webhook & { secret: string }>('POST', PATH, { body: value });
      close();
      onSecret({ title: t.webhooks.createdTitle, secret });
      await webhooks.reload();
    });
  return (
    <FormDialog
      title={t.webhooks.create}
      submit={t.webhooks.create}
      fields={FIELDS}
      work={work}
      onSubmit={() => void create()}
      onClose={close}
    >
      <EndpointFields value={value} change={draft.change} work={work} />
    </FormDialog>
  );
};

interface OneProps extends ChangeProps {
  webhook: Webhook;
}

const EditDialog = ({ webhook, webhooks, onClose }: OneProps) => {
  const [current, setCurrent] = useState(webhook);
  const form = useEdited<Webhook, Fields>({
    name: `webhook ${webhook.id}`,
    path: `${PATH}/${webhook.id}`,
    loaded: { set: setCurrent },
    current,
    fresh: async () => (await read<Webhook[]>(PATH)).find(({ id }) => id === webhook.id) ?? current,
    toFields: ({ url, description, types }) => ({ url, description, types }),
    toBody: (changes) => changes,
    texts: {
      url: { label: t.webhooks.url },
      description: { label: t.webhooks.description },
      types: { label: t.webhooks.types, show: (types) => (types as string[]).join(', ') },
    },
    onSaved: () => {
      onClose();
      say(t.common.saved);
      void webhooks.reload();
    },
  });
  return (
    <FormDialog
      title={t.webhooks.editTitle}
      submit={t.common.save}
      fields={FIELDS}
      work={form.work}
      onSubmit={() => void form.save()}
      onClose={() => {
        form.drop();
        onClose();
      }}
    >
      {form.differences && (
        <Conflict differences={form.differences} onMine={() => void form.save()} onTheirs={form.drop} />
      )}
      <EndpointFields value={form.value} change={form.change} work={form.work} />
    </FormDialog>
  );
};

const RotateDialog = ({
  webhook,
  webhooks,
  onClose,
  onSecret,
}: OneProps & { onSecret: (shown: Shown) => void }) => {
  const work = useWork();
  const rotate = () =>
    work.run(async () => {
      const { secret } = await send<RotatedSecret>('POST', `${PATH}/${webhook.id}/rotate`);
      onClose();
      onSecret({ title: t.webhooks.rotatedTitle, secret });
      await webhooks.reload();
    });
  return (
    <Confirm
      title={t.webhooks.rotateTitle}
      text={t.webhooks.rotateText}
      action={t.webhooks.rotate}
      isHarmless
      work={work}
      onConfirm={() => void rotate().then(orReload(webhooks))}
      onClose={onClose}
    />
  );
};

const DeleteDialog = ({ webhook, webhooks, onClose }: OneProps) => {
  const work = useWork();
  const remove = () =>
    work.run(async () => {
      await send('DELETE', `${PATH}/${webhook.id}`, { version: webhook.version });
      onClose();
      say(t.webhooks.deletedDone);
      await webhooks.reload();
    });
  return (
    <Confirm
      title={fill(t.webhooks.deleteTitle, { name: webhook.url })}
      text={t.webhooks.deleteText}
      action={t.common.delete}
      work={work}
      onConfirm={() => void remove().then(orReload(webhooks))}
      onClose={onClose}
    />
  );
};

const PeriodDialog = ({ webhook, onClose }: Omit<OneProps, 'webhooks'>) => {
  const [{ from, to }, setPeriod] = useState({ from: '', to: '' });
  const work = useWork();
  const replay = () =>
    work.run(async () => {
      const body = { ...(from && { from: startOfDay(from) }), ...(to && { to: startOfDay(to, 1) }) };
      await send('POST', `${PATH}/${webhook.id}/replay`, { body });
      onClose();
      say(t.webhooks.periodDone);
    });
  return (
    <FormDialog
      title={t.webhooks.period}
      submit={t.webhooks.replay}
      fields={['from', 'to']}
      work={work}
      onSubmit={() => void replay()}
      onClose={onClose}
    >
      <p>{t.webhooks.periodLead}</p>
      <div class="pair">
        <TextField
          label={t.audit.from}
          type="date"
          value={from}
          wrong={problemOf(work.failure, 'from')}
          onChange={(day) => setPeriod({ from: day, to })}
        />
        <TextField
          label={t.audit.to}
          type="date"
          isOptional
          value={to}
          wrong={problemOf(work.failure, 'to')}
          onChange={(day) => setPeriod({ from, to: day })}
        />
      </div>
    </FormDialog>
  );
};

const Facts = ({ webhook }: { webhook: Webhook }) => {
  const { description, types, last_success_at, last_failure, previous_secret_until } = webhook;
  return (
    <>
      {description && <p>{description}</p>}
      <dl>
        <dt>{t.webhooks.types}</dt>
        <dd>
          {types.includes('*') ? t.webhooks.allTypes : types.map((type) => <code key={type}>{type} </code>)}
        </dd>
        <dt>{t.webhooks.lastSuccess}</dt>
        <dd>
          <TimeOrDash at={last_success_at} />
        </dd>
        {last_failure && (
          <>
            <dt>{t.webhooks.lastFailure}</dt>
            <dd>
              <TimeOrDash at={last_failure.at} /> <span class="sub">{attemptText(last_failure)}</span>
            </dd>
          </>
        )}
      </dl>
      {previous_secret_until && (
        <p class="note">{fill(t.webhooks.formerUntil, { date: timeText(previous_secret_until) })}</p>
      )}
    </>
  );
};

const State = ({ webhook: { status, disabled_reason, failing_since } }: { webhook: Webhook }) => (
  <>
    <Chip mood={status === 'disabled' ? '' : failing_since ? 'warn' : 'good'}>
      {t.webhooks[status]}
      {disabled_reason && ` – ${t.webhooks[disabled_reason]}`}
    </Chip>
    {status === 'active' && failing_since && (
      <span class="sub">{fill(t.webhooks.failingSince, { date: timeText(failing_since) })}</span>
    )}
  </>
);

type Open = 'edit' | 'rotate' | 'delete' | 'period';

interface CardProps {
  webhook: Webhook;
  webhooks: Loaded<Webhook[]>;
  onSecret: (shown: Shown) => void;
}

const Card = ({ webhook, webhooks, onSecret }: CardProps) => {
  const { id, url, status, version } = webhook;
  const [open, setOpen] = useState<Open>();
  const [isLogShown, setIsLogShown] = useState(false);
  const work = useWork();
  const one = { webhook, webhooks, onSecret, onClose: () => setOpen(undefined) };
  const button = (text: string, onClick: () => void, kind: 'plain' | 'plain danger' = 'plain') => (
    <Button kind={kind} label={`${text}: ${url}`} onClick={onClick}>
      {text}
    </Button>
  );
  const promptly = (step: () => Promise<unknown>, done: string) => () =>
    void work
      .run(async () => {
        await step();
        await webhooks.reload();
        say(done);
      })
      .then(orReload(webhooks));
  const logText = isLogShown ? t.webhooks.hideDeliveries : t.webhooks.deliveries;
  const switched = status === 'active' ? 'disabled' : 'active';
  const changeStatus = () => send('PATCH', `${PATH}/${id}`, { body: { status: switched }, version });
  return (
    <section class="card" aria-labelledby={`w-${id}`}>
      <div class="title">
        <h2 id={`w-${id}`}>
          <bdi>{url}</bdi>
        </h2>
        <State webhook={webhook} />
      </div>
      <Facts webhook={webhook} />
      <FailureNotice failure={work.failure} />
      <div class="acts">
        {button(t.common.edit, () => setOpen('edit'))}
        {status === 'active' &&
          button(
            t.webhooks.test,
            promptly(() => send('POST', `${PATH}/${id}/test`), t.webhooks.testDone),
          )}
        {button(t.webhooks.rotate, () => setOpen('rotate'))}
        {status === 'active' && button(t.webhooks.period, () => setOpen('period'))}
        {button(
          status === 'active' ? t.webhooks.disable : t.webhooks.enable,
          promptly(changeStatus, t.common.saved),
        )}
        {button(t.common.delete, () => setOpen('delete'), 'plain danger')}
      </div>
      <Button isExpanded={isLogShown} label={`${logText}: ${url}`} onClick={() => setIsLogShown(!isLogShown)}>
        {logText}
      </Button>
      {isLogShown && <Deliveries webhook={webhook} />}
      {open === 'edit' && <EditDialog {...one} />}
      {open === 'rotate' && <RotateDialog {...one} />}
      {open === 'period' && <PeriodDialog {...one} />}
      {open === 'delete' && <DeleteDialog {...one} />}
    </section>
  );
};

/** The endpoints that events are sent to. */
export const Webhooks = () => {
  const webhooks = useLoaded<Webhook[]>(PATH);
  const [isNew, setIsNew] = useState(() => hasDraft(DRAFT));
  const [shown, setShown] = useState<Shown>();
  return (
    <>
      <div class="bar">
        <Button kind="first" onClick={() => setIsNew(true)}>
          {t.webhooks.create}
        </Button>
      </div>
      <FailureNotice failure={webhooks.failure} onRetry={() => void webhooks.reload()} />
      {!webhooks.value && !webhooks.failure && <Skeleton />}
      {webhooks.value?.length === 0 && <First place="webhooks" text={t.webhooks.empty} />}
      {webhooks.value?.map((webhook) => (
        <Card key={webhook.id} webhook={webhook} webhooks={webhooks} onSecret={setShown} />
      ))}
      {isNew && <NewDialog webhooks={webhooks} onSecret={setShown} onClose={() => setIsNew(false)} />}
      {shown && (
        <SecretDialog
          title={shown.title}
          label={t.webhooks.secret}
          secret={shown.secret}
          warning={t.webhooks.warning}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
};

import { useState } from 'preact/hooks';
import type { Connection } from '../../../../shared/schemas/integrations/connection.ts';
import type { CatalogEntry } from '../../../../shared/schemas/integrations/overview.ts';
import { Failure, send } from '../api.ts';
import { fill } from '../formats.ts';
import { type Loaded, orReload, showChanged, useLoaded, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { Confirm, FormDialog } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { problemOf, SelectField, TextField } from '../ui/fields.tsx';
import { First } from '../ui/first.tsx';
import { Button, Chip, Skeleton, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { integrationText } from '../ui/words.ts';
import { Sources } from './sources.tsx';

const PATH = '/integrations/connections';

interface ChangeProps {
  connections: Loaded<Connection[]>;
  onClose: () => void;
}

interface CredentialProps {
  system: CatalogEntry;
  value: Record<string, string>;
  wrong: (key: string) => string | undefined;
  onChange: (value: Record<string, string>) => void;
}

/** The secrets that a system asks for. They are in no draft: nothing keeps them but this form. */
const CredentialFields = ({ system, value, wrong, onChange }: CredentialProps) => (
  <>
    {system.auth.fields.map(({ key, label, help, required }) => (
      <TextField
        key={key}
        label={label}
        help={`${help} ${t.integrations.credentialHelp}`}
        type="password"
        isOptional={!required}
        isLeftToRight
        autoComplete="new-password"
        value={value[key] ?? ''}
        wrong={wrong(key)}
        onChange={(secret) => onChange({ ...value, [key]: secret })}
      />
    ))}
  </>
);

/** What was entered of a credential; blank fields are left out. */
const entered = (credential: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(credential).filter(([, secret]) => secret.trim() !== ''));

/** Keeps a dialog open whose credential the system refuses, so that another one can be entered. @throws Failure */
const expectAccepted = ({ status }: Connection): void => {
  if (status !== 'active') throw new Failure(409, 'connection_refused', '', [], true);
};

/** Says what the system has answered about a credential. */
const sayVerdict = ({ title, status }: Connection): void =>
  say(fill(status === 'active' ? t.integrations.verifiedDone : t.integrations.refusedDone, { name: title }));

const ConnectDialog = ({ connections, catalog, onClose }: ChangeProps & { catalog: CatalogEntry[] }) => {
  const [vendor, setVendor] = useState(catalog[0]!.vendor);
  const [title, setTitle] = useState('');
  const [credential, setCredential] = useState<Record<string, string>>({});
  // The connection exists already when its credential is refused.
  const [made, setMade] = useState<Connection>();
  const work = useWork();
  const system = catalog.find((entry) => entry.vendor === vendor)!;
  const connect = () =>
    work.run(async () => {
      const changes = { title, credential: entered(credential) };
      const connection = made
        ? await send<Connection>('PATCH', `${PATH}/${made.id}`, { body: changes, version: made.version })
        : await send<Connection>('POST', PATH, { body: { vendor, ...changes } });
      setMade(connection);
      await connections.reload();
      expectAccepted(connection);
      onClose();
      sayVerdict(connection);
    });
  return (
    <FormDialog
      title={t.integrations.connect}
      submit={t.integrations.connect}
      fields={['title', 'credential']}
      work={work}
      onSubmit={() => void connect()}
      onClose={onClose}
    >
      <SelectField
        label={t.integrations.system}
        value={vendor}
        options={(made ? [system] : catalog).map((entry) => [entry.vendor, entry.name])}
        onChange={(chosen) => {
          setVendor(chosen);
          setCredential({});
        }}
      />
      <TextField
        label={t.common.name}
        help={t.integrations.titleHelp}
        value={title}
        most={200}
        wrong={problemOf(work.failure, 'title')}
        onChange={setTitle}
      />
      <CredentialFields
        system={system}
        value={credential}
        wrong={(key) => problemOf(work.failure, 'credential', key)}
        onChange={setCredential}
      />
    </FormDialog>
  );
};

interface OneProps extends ChangeProps {
  connection: Connection;
}

const RotateDialog = ({ connection, system, connections, onClose }: OneProps & { system: CatalogEntry }) => {
  const [credential, setCredential] = useState<Record<string, string>>({});
  const work = useWork();
  const { id, title } = connection;
  const rotate = () =>
    work.run(async () => {
      const body = { credential: entered(credential) };
      const rotated = await send<Connection>('PATCH', `${PATH}/${id}`, { body, version: connection.version });
      showChanged(connections, rotated);
      expectAccepted(rotated);
      onClose();
      sayVerdict(rotated);
    });
  return (
    <FormDialog
      title={fill(t.integrations.rotateTitle, { name: title })}
      submit={t.integrations.rotate}
      fields={['credential']}
      work={work}
      onSubmit={() => void rotate().then(orReload(connections))}
      onClose={onClose}
    >
      <CredentialFields
        system={system}
        value={credential}
        wrong={(key) => problemOf(work.failure, 'credential', key)}
        onChange={setCredential}
      />
    </FormDialog>
  );
};

const DeleteDialog = ({ connection, connections, onClose }: OneProps) => {
  const { id, title, version } = connection;
  const work = useWork();
  const confirm = () =>
    work.run(async () => {
      await send('DELETE', `${PATH}/${id}`, { version });
      onClose();
      say(fill(t.integrations.deletedDone, { name: title }));
      await connections.reload();
    });
  return (
    <Confirm
      title={fill(t.integrations.deleteTitle, { name: title })}
      text={t.integrations.deleteText}
      action={t.common.delete}
      work={work}
      onConfirm={() => void confirm().then(orReload(connections))}
      onClose={onClose}
    />
  );
};

const Facts = ({ connection }: { connection: Connection }) => {
  const { account, credential_hint, last_verified_at, last_error, status } = connection;
  return (
    <>
      <dl>
        {account && (
          <>
            <dt>{t.integrations.account}</dt>
            <dd>
              <bdi>{account.name}</bdi>
            </dd>
          </>
        )}
        {credential_hint && (
          <>
            <dt>{t.integrations.hint}</dt>
            <dd>
              <code>
                <bdi dir="ltr">…{credential_hint}</bdi>
              </code>
            </dd>
          </>
        )}
        <dt>{t.integrations.verifiedAt}</dt>
        <dd>
          <TimeOrDash at={last_verified_at} />
        </dd>
      </dl>
      {status === 'error' && last_error && <p class="note">{integrationText(last_error)}</p>}
    </>
  );
};

interface CardProps {
  connection: Connection;
  system: CatalogEntry | undefined;
  connections: Loaded<Connection[]>;
}

const Card = ({ connection, system, connections }: CardProps) => {
  const [open, setOpen] = useState<'rotate' | 'delete'>();
  const work = useWork();
  const { id, title, status, vendor } = connection;
  const close = () => setOpen(undefined);
  const verify = () =>
    work.run(async () => {
      const verified = await send<Connection>('POST', `${PATH}/${id}/verify`);
      showChanged(connections, verified);
      sayVerdict(verified);
    });
  const change = { connection, connections, onClose: close };
  return (
    <section class="card" aria-labelledby={`c-${id}`}>
      <div class="title">
        <h2 id={`c-${id}`}>
          <bdi>{title}</bdi>
        </h2>
        <Chip mood={status === 'active' ? 'good' : 'bad'}>{t.integrations[status]}</Chip>
        <span class="sub">{system?.name ?? vendor}</span>
      </div>
      <Facts connection={connection} />
      <FailureNotice failure={work.failure} />
      <div class="bar">
        <Button
          isBusy={work.isBusy}
          label={`${t.integrations.verify}: ${title}`}
          onClick={() => void verify()}
        >
          {t.integrations.verify}
        </Button>
        <Button
          kind="plain"
          label={`${t.integrations.rotate}: ${title}`}
          onClick={() => system && setOpen('rotate')}
        >
          {t.integrations.rotate}
        </Button>
        <Button kind="plain danger" label={`${t.common.delete}: ${title}`} onClick={() => setOpen('delete')}>
          {t.common.delete}
        </Button>
      </div>
      <Sources connection={connection} system={system} />
      {open === 'rotate' && system && <RotateDialog {...change} system={system} />}
      {open === 'delete' && <DeleteDialog {...change} />}
    </section>
  );
};

/** The connections to other systems, each with its sources. */
export const Integrations = () => {
  const connections = useLoaded<Connection[]>(PATH);
  const catalog = useLoaded<CatalogEntry[]>('/integrations/catalog');
  const [isNew, setIsNew] = useState(false);
  const failure = connections.failure ?? catalog.failure;
  const isLoaded = connections.value !== undefined && catalog.value !== undefined;
  return (
    <>
      <div class="bar">
        <Button kind="first" onClick={() => setIsNew(true)}>
          {t.integrations.connect}
        </Button>
      </div>
      <FailureNotice
        failure={failure}
        onRetry={() => {
          void connections.reload();
          void catalog.reload();
        }}
      />
      {!isLoaded && !failure && <Skeleton />}
      {isLoaded && connections.value?.length === 0 && (
        <First place="integrations" text={t.integrations.empty} />
      )}
      {isLoaded &&
        connections.value?.map((connection) => (
          <Card
            key={connection.id}
            connection={connection}
            system={catalog.value?.find(({ vendor }) => vendor === connection.vendor)}
            connections={connections}
          />
        ))}
      {isNew && catalog.value && (
        <ConnectDialog connections={connections} catalog={catalog.value} onClose={() => setIsNew(false)} />
      )}
    </>
  );
};

import { useState } from 'preact/hooks';
import { pick } from '../../../../shared/base/fields.ts';
import type { LoggedRequest } from '../../../../shared/schemas/logged-request.ts';
import { numberText } from '../formats.ts';
import { usePages } from '../hooks.ts';
import { addressOf, t } from '../page.ts';
import { keepInAddress } from '../route.ts';
import { Code } from '../ui/code.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { SelectField } from '../ui/fields.tsx';
import { First } from '../ui/first.tsx';
import { Button, Chip, NoneFits, Skeleton, Time } from '../ui/parts.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { curlOf } from './curl.ts';
import { LinkTo, Person, usePeople } from './links.tsx';
import { namedIn } from './places.ts';

/** A request, and how often it was made in a row. */
interface Repeated extends LoggedRequest {
  times: number;
}

/** What has to be the same in requests that one row shows. */
const SAME = ['method', 'path', 'params', 'query', 'status', 'detail', 'key_id', 'on_behalf_of'] as const;

const sameIn = (request: LoggedRequest): string => JSON.stringify(pick(request, SAME));

/** The requests, with the last one for those that were the same in a row, as those of a client that waits are. */
const withoutRepeats = (requests: readonly LoggedRequest[]): Repeated[] => {
  const rows: Repeated[] = [];
  for (const each of requests) {
    const last = rows.at(-1);
    if (each.method === 'GET' && last && sameIn(last) === sameIn(each)) last.times += 1;
    else rows.push({ ...each, times: 1 });
  }
  return rows;
};

const COLUMNS: Column<Repeated>[] = [
  {
    title: t.webhooks.request,
    cell: ({ method, path, id, params, times }) => (
      <>
        <code dir="ltr">
          {method} {path}
        </code>
        {times > 1 && (
          <>
            {' '}
            <Chip mood="">× {numberText(times)}</Chip>
          </>
        )}
        {namedIn('', params).map((named) => (
          <span class="sub" key={named.id}>
            <LinkTo {...named} />
          </span>
        ))}
        <span class="sub">
          {t.explore.requestId}: <code dir="ltr">{id}</code>
        </span>
      </>
    ),
  },
  {
    title: t.common.status,
    cell: ({ status, code }) => (
      <>
        <Chip mood={status < 400 ? 'good' : 'bad'}>{status}</Chip> {code && <code>{code}</code>}
      </>
    ),
  },
  {
    title: t.audit.who,
    cell: ({ key_id, on_behalf_of: person }) =>
      person ? <Person id={person} via={key_id} /> : <Person id={key_id} />,
  },
  { title: t.explore.duration, cell: ({ duration_ms }) => `${numberText(duration_ms)} ms` },
  { title: t.audit.when, cell: ({ at }) => <Time at={at} /> },
];

/** Why a request has failed, and how to make it again. */
const Details = ({ request }: { request: LoggedRequest }) => (
  <div class="inside">
    {typeof request.detail === 'string' && (
      <p>
        <bdi lang="en">{request.detail}</bdi>
      </p>
    )}
    {Array.isArray(request.detail) && (
      <ul lang="en" dir="ltr">
        {request.detail.map(({ loc, msg }) => (
          <li key={`${loc.join('.')} ${msg}`}>
            <code>{loc.join('.')}</code>: {msg}
          </li>
        ))}
      </ul>
    )}
    <Code>{curlOf(request)}</Code>
  </div>
);

const rowKey = ({ id, at }: LoggedRequest): string => `${id} ${at}`;

/** What each choice asks for. */
const STATUSES: Readonly<Record<string, readonly string[]>> = { '': [], failed: ['4xx', '5xx'] };

/** The last requests of each key, the newest first. */
export const Requests = ({ query }: { query: URLSearchParams }) => {
  const key = query.get('key_id') ?? '';
  const show = query.get('show') ?? '';
  const id = query.get('id') ?? '';
  const search = new URLSearchParams([
    ...(id ? [['id', id]] : []),
    ...(key ? [['key_id', key]] : []),
    ...(STATUSES[show] ?? []).map((status) => ['status', status]),
  ]).toString();
  const [shown, setShown] = useState<string>();
  const requests = usePages<LoggedRequest>(`/requests${search && `?${search}`}`);
  const keys = [...usePeople()].filter(([, { isKey }]) => isKey);
  const change = (changed: { key_id?: string; show?: string }) =>
    keepInAddress({ id, key_id: key, show, ...changed });
  return (
    <>
      <p>
        <a href={addressOf('/docs')} target="_blank" rel="noopener">
          {t.explore.docs}
        </a>
      </p>
      <div class="filters">
        <SelectField
          label={t.keys.secret}
          value={key}
          options={[['', t.common.all], ...keys.map(([id, { name }]) => [id, name] as const)]}
          onChange={(key_id) => change({ key_id })}
        />
        <SelectField
          label={t.common.status}
          value={show}
          options={[
            ['', t.common.all],
            ['failed', t.explore.failed],
          ]}
          onChange={(value) => change({ show: value })}
        />
      </div>
      {id && (
        <p class="bar">
          <span>
            {t.explore.requestId}: <code dir="ltr">{id}</code>
          </span>
          {requests.value?.length !== 0 && (
            <Button kind="plain" onClick={() => keepInAddress({})}>
              {t.audit.clear}
            </Button>
          )}
        </p>
      )}
      <FailureNotice failure={requests.failure} onRetry={() => void requests.reload()} />
      {!requests.value && !requests.failure && <Skeleton />}
      {requests.value?.length === 0 && (search ? <NoneFits /> : <First place="requests" />)}
      {requests.value && requests.value.length > 0 && (
        <Table
          caption={t.tabs.requests.name}
          columns={COLUMNS}
          rows={withoutRepeats(requests.value)}
          keyOf={rowKey}
          details={(row) => rowKey(row) === shown && <Details request={row} />}
          actions={(row) => (
            <Button
              kind="plain"
              isExpanded={rowKey(row) === shown}
              label={`${t.webhooks.details}: ${row.method} ${row.path}`}
              onClick={() => setShown(rowKey(row) === shown ? undefined : rowKey(row))}
            >
              {t.webhooks.details}
            </Button>
          )}
        />
      )}
      <More more={requests.more} isLoading={requests.isLoading} />
    </>
  );
};

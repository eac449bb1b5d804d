import { useState } from 'preact/hooks';
import type { Webhook, WebhookDelivery, WebhookDeliveryDetails } from '../../../../shared/schemas/webhook.ts';
import { send } from '../api.ts';
import { numberText } from '../formats.ts';
import { useLoaded, usePages, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { SelectField } from '../ui/fields.tsx';
import { Button, Chip, type Mood, Time, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { attemptText } from '../ui/words.ts';

type Status = WebhookDelivery['status'];

const MOODS: Record<Status, Mood> = { pending: '', succeeded: 'good', failed: 'bad', cancelled: '' };

const TEXTS: Record<Status, string> = {
  pending: t.integrations.queued,
  succeeded: t.integrations.succeeded,
  failed: t.integrations.failed,
  cancelled: t.integrations.cancelled,
};

export const DeliveryState = ({ delivery: { status, last_attempt } }: { delivery: WebhookDelivery }) => (
  <>
    <Chip mood={MOODS[status]}>{TEXTS[status]}</Chip>
    {last_attempt?.error && <span class="sub">{attemptText(last_attempt)}</span>}
  </>
);

const COLUMNS: Column<WebhookDelivery>[] = [
  {
    title: t.webhooks.event,
    cell: ({ type, is_test, sequence }) => (
      <>
        {sequence === null ? (
          <code>{type}</code>
        ) : (
          <a href={addressOfPlace('events', String(sequence))}>
            <code>{type}</code>
          </a>
        )}{' '}
        {is_test && <Chip mood="">{t.webhooks.isTest}</Chip>}
      </>
    ),
  },
  { title: t.common.status, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { title: t.webhooks.attempts, cell: ({ attempts_count }) => numberText(attempts_count) },
  { title: t.audit.when, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: t.webhooks.nextAttempt, cell: ({ next_attempt_at }) => <TimeOrDash at={next_attempt_at} /> },
];

const Headers = ({ headers }: { headers: Record<string, string> }) => (
  <pre tabIndex={0} dir="ltr">
    {Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}
  </pre>
);

/** The event that a delivery sends; undefined for a test, which has none. */
const sequenceIn = (body: string): string | undefined => /^\{[^{}]*"sequence":(\d+)/.exec(body)?.[1];

/** What was sent, and what came back. */
export const DeliveryDetails = ({ path }: { path: string }) => {
  const { value, failure, reload } = useLoaded<WebhookDeliveryDetails>(path);
  if (!value) return <FailureNotice failure={failure} onRetry={() => void reload()} />;
  const { request, attempts } = value;
  const sequence = sequenceIn(request.body);
  return (
    <div class="inside">
      {sequence && (
        <p>
          <a href={addressOfPlace('events', sequence)}>
            {t.webhooks.event} #{sequence}
          </a>
        </p>
      )}
      <h3>{t.webhooks.request}</h3>
      <p>
        <code dir="ltr">POST {request.url}</code>
      </p>
      <Headers headers={request.headers} />
      <pre tabIndex={0} dir="ltr">
        {request.body}
      </pre>
      {attempts.map(({ at, duration_ms, status_code, error, reply_headers, reply_body }) => (
        <section key={at}>
          <h3>
            {t.webhooks.reply}: <Time at={at} />
          </h3>
          <p>
            <strong>{status_code ?? '–'}</strong> · {numberText(duration_ms)} ms{' '}
            {error && (
              <>
                · {attemptText({ status_code })} <bdi lang="en">{error}</bdi>
              </>
            )}
          </p>
          {Object.keys(reply_headers).length > 0 && <Headers headers={reply_headers} />}
          {reply_body && (
            <pre tabIndex={0} dir="ltr">
              {reply_body}
            </pre>
          )}
        </section>
      ))}
    </div>
  );
};

/** What was sent to an endpoint in the last 30 days. */
export const Deliveries = ({ webhook }: { webhook: Webhook }) => {
  const base = `/webhooks/${webhook.id}/deliveries`;
  const [status, setStatus] = useState('');
  const [shown, setShown] = useState<string>();
  const deliveries = usePages<WebhookDelivery>(`${base}${status && `?status=${status}`}`);
  const work = useWork();
  const replay = ({ id }: WebhookDelivery) =>
    void work.run(async () => {
      await send('POST', `${base}/${id}/replay`);
      say(t.webhooks.replayDone);
      await deliveries.reload();
    });
  return (
    <div class="part">
      <SelectField
        label={t.common.status}
        value={status}
        options={[['', t.common.all], ...Object.entries(TEXTS)]}
        onChange={setStatus}
      />
      <FailureNotice failure={deliveries.failure} onRetry={() => void deliveries.reload()} />
      <FailureNotice failure={work.failure} />
      {deliveries.value?.length === 0 && <p class="help">{t.webhooks.noDeliveries}</p>}
      {deliveries.value && deliveries.value.length > 0 && (
        <Table
          caption={`${t.webhooks.deliveries}: ${webhook.url}`}
          columns={COLUMNS}
          rows={deliveries.value}
          keyOf={({ id }) => id}
          details={({ id }) => id === shown && <DeliveryDetails path={`${base}/${id}`} />}
          actions={(delivery) => (
            <>
              <Button
                kind="plain"
                isExpanded={shown === delivery.id}
                label={`${t.webhooks.details}: ${delivery.type}`}
                onClick={() => setShown(shown === delivery.id ? undefined : delivery.id)}
              >
                {t.webhooks.details}
              </Button>
              <Button
                kind="plain"
                label={`${t.webhooks.replay}: ${delivery.type}`}
                onClick={() => replay(delivery)}
              >
                {t.webhooks.replay}
              </Button>
            </>
          )}
        />
      )}
      <More more={deliveries.more} isLoading={deliveries.isLoading} />
    </div>
  );
};

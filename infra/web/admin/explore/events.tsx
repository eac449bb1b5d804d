import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Document } from '../../../../shared/schemas/document.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { Member } from '../../../../shared/schemas/member.ts';
import type { Webhook, WebhookDelivery } from '../../../../shared/schemas/webhook.ts';
import { numberText } from '../formats.ts';
import { useLoaded, usePages } from '../hooks.ts';
import { t, words } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { DeliveryDetails, DeliveryState } from '../tabs/deliveries.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { First } from '../ui/first.tsx';
import { Heading } from '../ui/heading.tsx';
import { Button, Skeleton, Time } from '../ui/parts.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { Back, fact, Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { Id, LinkTo, Person, RequestLink, titleAt, titleOf } from './links.tsx';
import { namedIn } from './places.ts';

const NEWEST = '/v1/events?newest_first=true';

const COLUMNS: Column<Event>[] = [
  {
    title: t.webhooks.event,
    cell: ({ type, sequence }) => (
      <a href={addressOfPlace('events', String(sequence))}>
        <code>{type}</code>
      </a>
    ),
  },
  { title: words.number, cell: ({ sequence }) => numberText(sequence) },
  {
    title: t.audit.who,
    cell: ({ actor_id, acted_via_key_id }) => (
      <Person id={actor_id} via={acted_via_key_id} nobody={t.explore.service} />
    ),
  },
  { title: t.audit.when, cell: ({ timestamp }) => <Time at={timestamp} /> },
];

/** What an event is about that has no page of its own, by the part of its type before the dot. */
const WITHOUT_PAGE: Readonly<Record<string, (event: Event) => ComponentChildren>> = {
  member: ({ data }) => <Person id={(data as Member).user_id} />,
  document: ({ type, data }) => {
    const { id, file_name } = data as Document;
    if (type === 'document.deleted') return <bdi>{file_name}</bdi>;
    return <Files media={[{ document_id: id, caption: file_name }]} />;
  },
  ...Object.fromEntries(
    ['connection', 'source', 'sync'].map((kind) => [
      kind,
      ({ data }: Event) => (
        <a href={addressOfPlace('integrations')}>
          <bdi>{titleOf(data) || t.tabs.integrations.name}</bdi>
        </a>
      ),
    ]),
  ),
};

const withoutPage = (event: Event): ComponentChildren =>
  WITHOUT_PAGE[event.type.split('.')[0]!]?.(event) ?? null;

const ABOUT: Column<Event> = {
  title: t.audit.what,
  cell: (event) => {
    const { type, data } = event;
    const [own] = namedIn(type, data);
    if (!own) return withoutPage(event) ?? '–';
    // The data is the object itself, so that its name need not be read, unless it is a version of a template.
    const { id } = data as { id?: string };
    const title = id === own.id ? titleAt(own.place, data) : '';
    return <LinkTo {...own} title={title} />;
  },
};

/** The request that has made something: whoever looks for what an integration did finds it there. */
const REQUEST: Column<Event> = {
  title: t.explore.requestId,
  cell: ({ request_id: id }) => (id ? <RequestLink id={id} /> : '–'),
};

/** The log of all events, the newest first. */
export const EventLog = () => {
  const events = usePages<Event>(NEWEST);
  return (
    <>
      <FailureNotice failure={events.failure} onRetry={() => void events.reload()} />
      {!events.value && !events.failure && <Skeleton />}
      {events.value?.length === 0 && <First place="events" />}
      {events.value && events.value.length > 0 && (
        <Table
          caption={t.tabs.events.name}
          columns={COLUMNS.toSpliced(1, 1, ABOUT)}
          rows={events.value}
          keyOf={({ id }) => id}
        />
      )}
      <More more={events.more} isLoading={events.isLoading} />
    </>
  );
};

/** The events about an object, the newest first. A page of them may be empty although older ones follow. */
export const EventsOf = ({ id }: { id: string }) => {
  const events = usePages<Event>(`${NEWEST}&resource_id=${id}`);
  return (
    <section class="part">
      <h2>{t.tabs.events.name}</h2>
      <FailureNotice failure={events.failure} onRetry={() => void events.reload()} />
      {events.value && events.value.length > 0 && (
        <Table
          caption={t.tabs.events.name}
          columns={[...COLUMNS, REQUEST]}
          rows={events.value}
          keyOf={(event) => event.id}
        />
      )}
      {events.value?.length === 0 && !events.more && <p class="help">{t.explore.empty}</p>}
      {events.more && (
        <Button isBusy={events.isLoading} onClick={events.more}>
          {t.explore.further}
        </Button>
      )}
    </section>
  );
};

/** What became of an event at one endpoint; nothing where it was not sent there. */
const DeliveryTo = ({ webhook, sequence }: { webhook: Webhook; sequence: number }) => {
  const base = `/webhooks/${webhook.id}/deliveries`;
  const { value, failure, reload } = useLoaded<WebhookDelivery[]>(`${base}?sequence=${sequence}`);
  const [isShown, setIsShown] = useState(false);
  const [delivery] = value ?? [];
  return (
    <li>
      <bdi>{webhook.url}</bdi> <FailureNotice failure={failure} onRetry={() => void reload()} />
      {value && !delivery && <span class="sub">{t.explore.notSent}</span>}
      {delivery && (
        <>
          <DeliveryState delivery={delivery} />
          <Button
            kind="plain"
            isExpanded={isShown}
            label={`${t.webhooks.details}: ${webhook.url}`}
            onClick={() => setIsShown(!isShown)}
          >
            {t.webhooks.details}
          </Button>
          {isShown && <DeliveryDetails path={`${base}/${delivery.id}`} />}
        </>
      )}
    </li>
  );
};

const Deliveries = ({ sequence }: { sequence: number }) => {
  const webhooks = useLoaded<Webhook[]>('/webhooks');
  return (
    <section class="part">
      <h2>{t.webhooks.deliveries}</h2>
      <FailureNotice failure={webhooks.failure} onRetry={() => void webhooks.reload()} />
      {webhooks.value?.length === 0 && <p class="help">{t.webhooks.empty}</p>}
      <ul class="history">
        {webhooks.value?.map((webhook) => (
          <DeliveryTo key={webhook.id} webhook={webhook} sequence={sequence} />
        ))}
      </ul>
    </section>
  );
};

/** The page of one event. */
export const EventPage = ({ sequence }: { sequence: number }) => {
  const { value, failure, reload } = useLoaded<Event[]>(`/v1/events?after=${sequence - 1}&limit=1`);
  const event = value?.find((each) => each.sequence === sequence);
  return (
    <>
      <Back place="events" />
      <Heading
        title={
          <>
            {event ? <code>{event.type}</code> : t.webhooks.event} #{sequence}
          </>
        }
      />
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {value && !event && <p>{t.failures.gone}</p>}
      {!value && !failure && <Skeleton />}
      {event && (
        <>
          <Facts
            facts={[
              [t.audit.when, <Time at={event.timestamp} />],
              [
                t.audit.who,
                <Person id={event.actor_id} via={event.acted_via_key_id} nobody={t.explore.service} />,
              ],
              fact(t.audit.what, withoutPage(event)),
              fact(
                t.audit.what,
                namedIn(event.type, event.data).map((named) => (
                  <span class="item" key={named.id}>
                    <LinkTo {...named} />
                  </span>
                )),
              ),
              event.request_id ? [t.explore.requestId, <RequestLink id={event.request_id} />] : null,
              [t.explore.id, <Id id={event.id} />],
            ]}
          />
          <Deliveries sequence={sequence} />
          <section class="part">
            <h2>{t.explore.data}</h2>
            <pre tabIndex={0} dir="ltr" lang="en">
              {JSON.stringify(event.data, null, 2)}
            </pre>
          </section>
        </>
      )}
    </>
  );
};

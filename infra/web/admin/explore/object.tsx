import { useEffect } from 'preact/hooks';
import { useLoaded } from '../hooks.ts';
import { page, t } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Heading } from '../ui/heading.tsx';
import { Skeleton } from '../ui/parts.tsx';
import { tabOf } from '../../../../shared/pages/admin-data.ts';
import { History } from './activity.tsx';
import { EventsOf } from './events.tsx';
import type { Fact, Kind } from './kinds.tsx';
import { Id } from './links.tsx';
import { RelatedList } from './list.tsx';
import { pathOf } from './paths.ts';

export const Facts = ({ facts }: { facts: readonly (Fact | null)[] }) => (
  <dl class="facts">
    {facts.map((fact) => {
      if (!fact) return null;
      const [label, value] = fact;
      return (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      );
    })}
  </dl>
);

/** Leads back to the list that an object stands in. */
export const Back = ({ place }: { place: Parameters<typeof tabOf>[0] }) => {
  const tab = tabOf(place);
  return (
    <p class="back">
      <a href={addressOfPlace(tab)}>{t.tabs[tab].name}</a>
    </p>
  );
};

/** The page of one object. */
export const ObjectPage = ({ kind, id }: { kind: Kind<{ id: string }>; id: string }) => {
  const path = pathOf(kind.place, id);
  const { value: row, failure, reload, set } = useLoaded<{ id: string }>(path);
  const title = row ? kind.title(row) : kind.name;
  useEffect(() => {
    document.title = `${title} · ${page.organization!.name}`;
  }, [title]);
  return (
    <>
      <Back place={kind.place} />
      <Heading title={<bdi>{title}</bdi>} />
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!row && !failure && <Skeleton />}
      {row && (
        <>
          <p class="lead">{kind.state(row)}</p>
          {kind.Acts && <kind.Acts row={row} onChanged={set} />}
          <Facts facts={[...kind.facts(row), [t.explore.id, <Id id={id} />]]} />
          {kind.related(row).map((related) => (
            <RelatedList key={related.path} {...related} />
          ))}
          {kind.hasActivity && <History path={path} id={id} />}
          <EventsOf id={id} />
        </>
      )}
    </>
  );
};

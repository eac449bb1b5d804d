import { useEffect } from 'preact/hooks';
import { useLoaded } from '../hooks.ts';
import { page, t } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Heading } from '../ui/heading.tsx';
import { Skeleton } from '../ui/parts.tsx';
import { History } from './activity.tsx';
import { EventsOf } from './events.tsx';
import { Back, Facts } from './facts.tsx';
import type { Kind } from './kinds.tsx';
import { Id } from './links.tsx';
import { RelatedList } from './list.tsx';
import { NumbersLink } from './numbers/link.tsx';
import { pathOf } from './paths.ts';

/** The page of one object. */
export const ObjectPage = ({ kind, id }: { kind: Kind<{ id: string }>; id: string }) => {
  const path = pathOf(kind.place, id);
  const { value: row, failure, reload, set } = useLoaded<{ id: string }>(path);
  const isAdmin = page.organization!.role === 'admin';
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
          {isAdmin && (
            <>
              {kind.Content && <kind.Content row={row} />}
              <NumbersLink place={kind.place} id={id} />
              {kind.related(row).map((related) => (
                <RelatedList key={related.path} {...related} />
              ))}
              {kind.hasActivity && <History path={path} id={id} />}
              <EventsOf id={id} />
            </>
          )}
        </>
      )}
    </>
  );
};

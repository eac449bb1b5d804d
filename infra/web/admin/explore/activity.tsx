import type { Activity } from '../../../../shared/schemas/corrective-action.ts';
import type { InspectionActivity } from '../../../../shared/schemas/inspections/activity.ts';
import type { IssueActivity } from '../../../../shared/schemas/issues/issue.ts';
import { ARROW } from '../formats.ts';
import { usePages } from '../hooks.ts';
import { t, words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Foreign, Skeleton, Time } from '../ui/parts.tsx';
import { More } from '../ui/table.tsx';
import { LinkTo, Person, usePeople } from './links.tsx';
import { namedIn } from './places.ts';

/** What the histories of all kinds of objects have in common, and what only some have. */
type Entry = Pick<
  InspectionActivity,
  'id' | 'kind' | 'actor_id' | 'acted_via_key_id' | 'from' | 'to' | 'at'
> &
  Partial<Pick<InspectionActivity, 'key_id' | 'comment' | 'user_ids'>> &
  Partial<Pick<IssueActivity, 'note'>> &
  Partial<Pick<Activity, 'contact_name'>>;

/** The words for statuses and priorities, of whatever kind. */
const STATES: Readonly<Record<string, string>> = {
  ...words.priorities,
  ...t.explore.issueStatuses,
  ...words.findingStatuses,
  ...words.actionStatuses,
  ...words.statuses,
  closed: words.closed,
};

/** The words for what has happened, of whatever kind of object. */
const KINDS: Readonly<Record<string, string>> = {
  created: t.common.created,
  started: words.started,
  submitted: words.workbook.submitted,
  approved: words.approved,
  rejected: t.explore.issueStatuses.rejected,
  verified: words.verified,
  archived: words.statuses.archived,
  commented: t.acts.comment,
  ...t.explore.activity,
};

const IS_TIME = /^\d{4}-\d\d-\d\dT/;

/** A status, a time or a member, as people read it. */
export const Value = ({ text }: { text: string }) => {
  const people = usePeople();
  if (STATES[text]) return <>{STATES[text]}</>;
  if (IS_TIME.test(text)) return <Time at={text} />;
  return <bdi>{people.get(text)?.name ?? text}</bdi>;
};

const Change = ({ from, to }: Pick<Entry, 'from' | 'to'>) =>
  from === null && to === null ? null : (
    <span class="sub">
      {from !== null && <Value text={from} />} {from !== null && to !== null && ARROW}{' '}
      {to !== null && <Value text={to} />}
    </span>
  );

const Step = ({ entry, own }: { entry: Entry; own: string }) => {
  const {
    kind,
    actor_id,
    key_id,
    acted_via_key_id,
    comment,
    note,
    user_ids = [],
    contact_name,
    from,
    to,
    at,
  } = entry;
  const others = namedIn('', entry).filter(({ id }) => id !== own);
  return (
    <li>
      <strong>{KINDS[kind] ?? kind}</strong>
      <Change from={from} to={to} />
      {user_ids.map((id) => (
        <span class="sub" key={id}>
          <Person id={id} />
        </span>
      ))}
      {others.map(({ place, id }) => (
        <span class="sub" key={id}>
          <LinkTo place={place} id={id} />
        </span>
      ))}
      {(comment || note) && <Foreign>{comment || note}</Foreign>}
      <span class="sub">
        <Time at={at} /> ·{' '}
        <Person
          id={actor_id ?? key_id ?? null}
          via={acted_via_key_id}
          nobody={contact_name || t.explore.service}
        />
      </span>
    </li>
  );
};

/** The history of an object, as the service keeps it. */
export const History = ({ path, id }: { path: string; id: string }) => {
  const entries = usePages<Entry>(`${path}/activity`);
  return (
    <section class="part">
      <h2>{t.explore.history}</h2>
      <FailureNotice failure={entries.failure} onRetry={() => void entries.reload()} />
      {!entries.value && !entries.failure && <Skeleton />}
      {entries.value?.length === 0 && <p class="help">{t.explore.empty}</p>}
      {entries.value && entries.value.length > 0 && (
        <ol class="history">
          {entries.value.map((entry) => (
            <Step key={entry.id} entry={entry} own={id} />
          ))}
        </ol>
      )}
      <More more={entries.more} isLoading={entries.isLoading} />
    </section>
  );
};

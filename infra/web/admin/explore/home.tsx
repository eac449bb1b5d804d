import type { ComponentChildren } from 'preact';
import { MAX_COUNTED } from '../../../../shared/schemas/home-limits.ts';
import type { Home as HomeData } from '../../../../shared/schemas/home.ts';
import { fill, numberText, sizeText } from '../formats.ts';
import { useLoaded } from '../hooks.ts';
import { t } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Skeleton } from '../ui/parts.tsx';

const x = t.home;

/** A number that is counted up to a limit. */
const countText = (count: number): string =>
  count >= MAX_COUNTED ? fill(x.orMore, { n: numberText(MAX_COUNTED) }) : numberText(count);

type Numbers = HomeData['numbers'];

/** Where the list behind each number is. */
const BEHIND: Record<keyof Numbers, string> = {
  inspections_in_progress: addressOfPlace('inspections', undefined, { status: 'in_progress' }),
  inspections_pending_approval: addressOfPlace('inspections', undefined, { status: 'pending_approval' }),
  inspections_overdue: addressOfPlace('inspections', undefined, { is_overdue: 'true' }),
  corrective_actions_overdue: addressOfPlace('corrective-actions', undefined, { is_overdue: 'true' }),
  issues_overdue: addressOfPlace('issues', undefined, { is_overdue: 'true' }),
};

const NAMES = Object.keys(BEHIND) as (keyof Numbers)[];

const Figures = ({ numbers, waiting }: { numbers: Numbers; waiting: number }) => (
  <ul class="figures">
    {NAMES.map((name) => (
      <li key={name}>
        <a href={BEHIND[name]}>
          <strong>{countText(numbers[name])}</strong> <span>{x.numbers[name]}</span>
        </a>
      </li>
    ))}
    <li>
      <p>
        <strong>{countText(waiting)}</strong> <span>{x.mails}</span>
      </p>
    </li>
  </ul>
);

/** Something to look after: what it is, how often, and the first ones with links to where one mends them. */
interface Matter {
  title: string;
  count: number;
  rows: { key: string; name: string; address: string; more?: ComponentChildren }[];
}

/** From this share of the storage on, somebody has to look after it. */
const NEARLY_FULL = 0.9;

const mattersOf = ({ webhooks, connections, schedules, mails, storage }: HomeData['attention']): Matter[] => [
  {
    title: x.webhooks,
    count: webhooks.count,
    rows: webhooks.first.map(({ id, url, description }) => ({
      key: id,
      name: description || url,
      address: addressOfPlace('webhooks'),
    })),
  },
  {
    title: x.connections,
    count: connections.count,
    rows: connections.first.map(({ id, title }) => ({
      key: id,
      name: title,
      address: addressOfPlace('integrations'),
    })),
  },
  {
    title: x.schedules,
    count: schedules.count,
    rows: schedules.first.map(({ id, title, problems }) => ({
      key: id,
      name: title,
      address: addressOfPlace('schedules', id),
      more: [...new Set(problems.map(({ kind }) => t.explore.problemKinds[kind]))].join(' '),
    })),
  },
  {
    title: mails.paused ? x.mailsPaused : x.mails,
    count: mails.paused ? Math.max(mails.waiting, 1) : 0,
    rows: [],
  },
  {
    title: t.org.storage,
    count: storage.used_bytes >= storage.max_bytes * NEARLY_FULL ? 1 : 0,
    rows: [
      {
        key: 'storage',
        name: fill(t.org.storageUsed, {
          size: sizeText(storage.used_bytes),
          most: sizeText(storage.max_bytes),
        }),
        address: addressOfPlace('organization'),
      },
    ],
  },
];

const Matters = ({ attention }: Pick<HomeData, 'attention'>) => {
  const matters = mattersOf(attention).filter(({ count }) => count > 0);
  return (
    <section>
      <h2>{x.attention}</h2>
      {matters.length === 0 && <p>{x.nothing}</p>}
      {matters.map(({ title, count, rows }) => (
        <div class="card" key={title}>
          <h3>
            {title}: {countText(count)}
          </h3>
          <ul class="plain-list">
            {rows.map(({ key, name, address, more }) => (
              <li key={key}>
                <a href={address}>
                  <bdi>{name}</bdi>
                </a>
                {more && <span class="sub">{more}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
};

/** What an admin sees first. */
export const Home = () => {
  const { value, failure, reload } = useLoaded<HomeData>('/home');
  return (
    <>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!value && !failure && <Skeleton />}
      {value && (
        <>
          <Matters attention={value.attention} />
          <Figures numbers={value.numbers} waiting={value.attention.mails.waiting} />
        </>
      )}
    </>
  );
};

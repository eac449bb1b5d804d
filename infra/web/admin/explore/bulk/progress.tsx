import { useEffect, useState } from 'preact/hooks';
import type {
  BulkChange,
  BulkChangeRow,
  BulkChangeStep,
  BulkOutcome,
} from '../../../../../shared/schemas/bulk-change.ts';
import { Failure, read, send } from '../../api.ts';
import { fill, numberText } from '../../formats.ts';
import { usePages, useWork } from '../../hooks.ts';
import { page, t, words } from '../../page.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { FailureNotice } from '../../ui/failure.tsx';
import { Button, Chip } from '../../ui/parts.tsx';
import { type Column, More, Table } from '../../ui/table.tsx';
import { LinkTo } from '../links.tsx';
import { dryRun } from './start.tsx';
import { Changes, Why } from './values.tsx';
import { bulkTitle, OUTCOME_MOODS, OUTCOMES, PLACES, STATUSES } from './words.ts';

const x = t.bulk;

/** How long after a reply it is asked again how far it is, in milliseconds. */
const PACE = 1_500;

const isAtWork = ({ status }: BulkChange): boolean => status === 'planning' || status === 'running';

/** Rows that are dealt with, of those that it is about at this moment. */
const doneOf = ({ status, total, planned, unchanged, refused, changed, outdated }: BulkChange) => {
  const done = unchanged + refused + changed + outdated;
  return status === 'planning' ? { done: done + planned, total } : { done, total };
};

/** Reads it again and again while a worker is at it. A reply that does not come is asked for again. */
const useWatched = (bulk: BulkChange, onChanged: (bulk: BulkChange) => void): Failure | undefined => {
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    if (!isAtWork(bulk)) return undefined;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      try {
        const next = await read<BulkChange>(`/v1/bulk-changes/${bulk.id}`);
        if (!isCurrent) return;
        setFailure(undefined);
        onChanged(next);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (!isCurrent) return;
        setFailure(error);
        timer = setTimeout(() => void look(), PACE * 2);
      }
    };
    timer = setTimeout(() => void look(), PACE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [bulk]);
  return failure;
};

/** Parts of the way of which whoever hears the page is told. */
const HEARD = 4;

const Bar = ({ bulk }: { bulk: BulkChange }) => {
  const { done, total } = doneOf(bulk);
  const text = fill(words.of, { value: numberText(done), max: numberText(total) });
  const part = total === 0 ? 0 : Math.floor((done / total) * HEARD);
  const [heard, setHeard] = useState('');
  useEffect(
    () => setHeard(isAtWork(bulk) ? `${STATUSES[bulk.status]}: ${text}` : STATUSES[bulk.status]),
    [bulk.status, part],
  );
  return (
    <>
      <p class="away" role="status">
        {heard}
      </p>
      {isAtWork(bulk) && (
        <div class="progress">
          <progress aria-label={STATUSES[bulk.status]} max={total || 1} value={total ? done : undefined} />
          <p>
            {STATUSES[bulk.status]} {total > 0 && `· ${text}`}
          </p>
        </div>
      )}
    </>
  );
};

const rowColumns = ({ resource }: BulkChange): Column<BulkChangeRow>[] => [
  {
    title: t.common.name,
    cell: ({ resource_id, name }) => <LinkTo place={PLACES[resource]} id={resource_id} title={name} />,
  },
  {
    title: t.common.status,
    cell: ({ outcome }) => <Chip mood={OUTCOME_MOODS[outcome]}>{OUTCOMES[outcome]}</Chip>,
  },
];

const CHANGES: Column<BulkChangeRow> = {
  title: t.audit.changes,
  cell: ({ changes }) => <Changes changes={changes} />,
};

const REASON: Column<BulkChangeRow> = { title: words.reason, cell: ({ detail }) => <Why detail={detail} /> };

interface RowsProps {
  bulk: BulkChange;
  title: string;
  outcomes: readonly BulkOutcome[];
  column: Column<BulkChangeRow>;
}

/** Rows on one page of a list of them. */
const ROWS = 20;

/** The rows that have come to one of some outcomes; nothing where there are none. */
const Rows = ({ bulk, title, outcomes, column }: RowsProps) => {
  const query = outcomes.map((outcome) => `outcome=${outcome}`).join('&');
  const rows = usePages<BulkChangeRow>(`/v1/bulk-changes/${bulk.id}/rows?${query}`, false, ROWS);
  const count = outcomes.reduce((sum, outcome) => sum + bulk[outcome], 0);
  if (count === 0) return null;
  return (
    <section class="part">
      <h2>
        {title} ({numberText(count)})
      </h2>
      <FailureNotice failure={rows.failure} onRetry={() => void rows.reload()} />
      {rows.value && (
        <Table
          caption={title}
          columns={[...rowColumns(bulk), column]}
          rows={rows.value}
          keyOf={({ position }) => String(position)}
        />
      )}
      <More more={rows.more} isLoading={rows.isLoading} />
    </section>
  );
};

/** What would change or was changed, and what was not and why: first what there is to decide on or to see to. */
const Results = ({ bulk }: { bulk: BulkChange }) => {
  const refused = (
    <Rows key="refused" bulk={bulk} title={x.notChanged} outcomes={['refused', 'outdated']} column={REASON} />
  );
  const planned = (
    <Rows key="planned" bulk={bulk} title={OUTCOMES.planned} outcomes={['planned']} column={CHANGES} />
  );
  const changed = (
    <Rows key="changed" bulk={bulk} title={OUTCOMES.changed} outcomes={['changed']} column={CHANGES} />
  );
  return <>{bulk.status === 'planned' ? [planned, refused] : [refused, planned, changed]}</>;
};

/** Whether the person has asked for it by the app: nobody else has their rights. */
const isOwn = ({ requested_by, acted_via_key_id }: BulkChange): boolean =>
  requested_by === page.userId && acted_via_key_id === null;

const isOver = ({ status }: BulkChange): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed';

interface StepsProps {
  bulk: BulkChange;
  onChanged: (bulk: BulkChange) => void;
}

/** What can be done with it: carry it out, stop it, go on, leave it, or see anew what would change. */
const Steps = ({ bulk, onChanged }: StepsProps) => {
  const [isAsked, setIsAsked] = useState(false);
  const work = useWork();
  const { id, status, resource, filter, action, planned } = bulk;
  const step = async (wanted: BulkChangeStep['status']) => {
    const path = `/bulk-changes/${id}`;
    const isDone = await work.run(async () =>
      onChanged(await send<BulkChange>('PATCH', path, { body: { status: wanted } })),
    );
    if (isDone) {
      setIsAsked(false);
      // The button that was pressed may be gone.
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
    } else await read<BulkChange>(`/v1${path}`).then(onChanged, () => undefined);
  };
  const again = () => void work.run(() => dryRun({ resource, filter, action }));
  const mayGoOn = (status === 'planned' || status === 'stopped') && planned > 0;
  return (
    <>
      {!isAsked && <FailureNotice failure={work.failure} />}
      {mayGoOn && !isOwn(bulk) && <p class="help">{x.notYours}</p>}
      <p class="links">
        {mayGoOn && isOwn(bulk) && (
          <Button kind="first" onClick={() => setIsAsked(true)}>
            {status === 'planned' ? x.carryOut : x.goOn}
          </Button>
        )}
        {status === 'running' && <Button onClick={() => void step('stopped')}>{x.stop}</Button>}
        {!isOver(bulk) && status !== 'running' && (
          <Button onClick={() => void step('cancelled')}>{x.leave}</Button>
        )}
        {isOver(bulk) && (
          <Button isBusy={work.isBusy} onClick={again}>
            {x.again}
          </Button>
        )}
      </p>
      {isAsked && mayGoOn && (
        <Confirm
          title={bulkTitle(bulk)}
          text={x.carryOutText}
          action={status === 'planned' ? x.carryOut : x.goOn}
          work={work}
          onConfirm={() => void step('running')}
          onClose={() => setIsAsked(false)}
        >
          <p>
            <strong>
              {OUTCOMES.planned}: {numberText(planned)}
            </strong>
          </p>
        </Confirm>
      )}
    </>
  );
};

const SHOWN = ['planned', 'changed', 'unchanged', 'refused', 'outdated'] as const;

/** How many rows have come to what. */
const Counts = ({ bulk }: { bulk: BulkChange }) => (
  <p class="links">
    {SHOWN.filter((outcome) => bulk[outcome] > 0).map((outcome) => (
      <span key={outcome}>
        <Chip mood={OUTCOME_MOODS[outcome]}>
          {OUTCOMES[outcome]}: {numberText(bulk[outcome])}
        </Chip>
      </span>
    ))}
  </p>
);

interface ProgressProps {
  row: BulkChange;
  onChanged: (row: BulkChange) => void;
}

/** How far a bulk change is, what can be done with it, and what has become of its rows. */
export const BulkProgress = ({ row: bulk, onChanged }: ProgressProps) => {
  const failure = useWatched(bulk, onChanged);
  const { status, total, planned, outdated, error } = bulk;
  const isPlan = status === 'planned';
  return (
    <>
      <FailureNotice failure={failure} />
      {error && (
        <div class="notice bad">
          <p>
            <bdi lang="en">{error}</bdi>
          </p>
        </div>
      )}
      {outdated > 0 && (
        <div class="notice warn">
          <p>{x.outdatedText}</p>
        </div>
      )}
      <Bar bulk={bulk} />
      <Counts bulk={bulk} />
      {isPlan && (
        <p>
          <strong>{planned > 0 ? x.nothingYet : total > 0 ? x.nothing : x.noRows}</strong>
        </p>
      )}
      <Steps bulk={bulk} onChanged={onChanged} />
      {!isAtWork(bulk) && <Results key={status} bulk={bulk} />}
    </>
  );
};

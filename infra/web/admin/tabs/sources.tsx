import { useEffect, useState } from 'preact/hooks';
import type { Connection } from '../../../../shared/schemas/integrations/connection.ts';
import type { CatalogEntry } from '../../../../shared/schemas/integrations/overview.ts';
import type { SyncRun } from '../../../../shared/schemas/integrations/run.ts';
import type { DirectorySource, Source } from '../../../../shared/schemas/integrations/source.ts';
import { send } from '../api.ts';
import { fill, numberText } from '../formats.ts';
import { useLoaded, usePages, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Button, Chip, type Mood, Time, TimeOrDash } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { integrationText } from '../ui/words.ts';
import { NewSource } from './new-source.tsx';

type AnySource = Source | DirectorySource;

/** Where sources of a kind are. */
const pathOf = (source: AnySource): string =>
  `/integrations/${'target_ref' in source ? 'sources' : 'directory-sources'}/${source.id}`;

const MOODS: Record<SyncRun['status'], Mood> = {
  queued: '',
  running: '',
  succeeded: 'good',
  partial: 'warn',
  failed: 'bad',
  cancelled: '',
};

const isGoingOn = (run: SyncRun | null): boolean => run?.status === 'queued' || run?.status === 'running';

/** How often a run that goes on is looked at, in milliseconds. */
const LOOK_EVERY = 3_000;

const countsText = ({ counts }: SyncRun): string =>
  fill(
    t.integrations.runCounts,
    Object.fromEntries(Object.entries(counts).map(([what, n]) => [what, numberText(n)])),
  );

const RunState = ({ run }: { run: SyncRun }) => (
  <>
    <Chip mood={MOODS[run.status]}>{t.integrations[run.status]}</Chip>
    {run.error && <span class="sub">{integrationText(run.error)}</span>}
  </>
);

const RUN_COLUMNS: Column<SyncRun>[] = [
  { title: t.audit.when, cell: (run) => <Time at={run.started_at ?? run.created_at} /> },
  { title: t.common.status, cell: (run) => <RunState run={run} /> },
  { title: t.audit.who, cell: ({ trigger }) => t.integrations[trigger] },
  { title: t.audit.changes, cell: countsText },
];

const Runs = ({ source }: { source: AnySource }) => {
  const runs = usePages<SyncRun>(`/integrations/sources/${source.id}/sync-runs`);
  return (
    <>
      <FailureNotice failure={runs.failure} onRetry={() => void runs.reload()} />
      {runs.value?.length === 0 && <p class="help">{t.integrations.noRuns}</p>}
      {runs.value && runs.value.length > 0 && (
        <Table
          caption={`${t.integrations.runs}: ${source.name}`}
          columns={RUN_COLUMNS}
          rows={runs.value}
          keyOf={({ id }) => id}
        />
      )}
      <More more={runs.more} isLoading={runs.isLoading} />
    </>
  );
};

const STATUS_MOODS: Record<AnySource['status'], Mood> = { active: 'good', paused: 'warn', error: 'bad' };

const SOURCE_COLUMNS: Column<AnySource>[] = [
  {
    title: t.common.name,
    cell: ({ name, status, problem }) => (
      <>
        <bdi>{name}</bdi> <Chip mood={STATUS_MOODS[status]}>{t.integrations[status]}</Chip>
        {problem && <span class="sub">{integrationText(problem)}</span>}
      </>
    ),
  },
  { title: t.integrations.board, cell: ({ board_name }) => <bdi>{board_name ?? '–'}</bdi> },
  { title: t.integrations.rows, cell: ({ rows_count }) => numberText(rows_count) },
  {
    title: t.integrations.lastRun,
    cell: ({ last_run: run }) =>
      run ? (
        <>
          <RunState run={run} />
          <span class="sub">
            <Time at={run.finished_at ?? run.created_at} />
          </span>
        </>
      ) : (
        '–'
      ),
  },
  { title: t.integrations.nextRun, cell: ({ next_sync_at }) => <TimeOrDash at={next_sync_at} /> },
];

/** The sources of a connection, with what became of their syncs. */
export const Sources = ({
  connection,
  system,
}: {
  connection: Connection;
  system: CatalogEntry | undefined;
}) => {
  const boards = useLoaded<Source[]>(`/integrations/connections/${connection.id}/sources`);
  const directories = useLoaded<DirectorySource[]>('/integrations/directory-sources');
  const [shown, setShown] = useState<string>();
  const [isNew, setIsNew] = useState(false);
  const work = useWork();
  const rows: AnySource[] = [
    ...(boards.value ?? []),
    ...(directories.value ?? []).filter(({ connection_id }) => connection_id === connection.id),
  ];
  const reload = async () => {
    await Promise.all([boards.reload(), directories.reload()]);
  };
  const isWaiting = rows.some(({ last_run }) => isGoingOn(last_run));
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void (document.hidden || reload()), LOOK_EVERY);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const sync = (source: AnySource) =>
    void work.run(async () => {
      await send('POST', `${pathOf(source)}/sync`, { body: {} });
      say(fill(t.integrations.syncStarted, { name: source.name }));
      await reload();
    });
  const failure = boards.failure ?? directories.failure;
  return (
    <>
      <div class="title">
        <h3>{t.integrations.sources}</h3>
        {system && connection.status === 'active' && (
          <Button label={`${t.integrations.addSource}: ${connection.title}`} onClick={() => setIsNew(true)}>
            {t.integrations.addSource}
          </Button>
        )}
      </div>
      {isNew && (
        <NewSource connection={connection} system={system!} onMade={reload} onClose={() => setIsNew(false)} />
      )}
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      <FailureNotice failure={work.failure} />
      {boards.value && directories.value && rows.length === 0 && (
        <p class="help">{t.integrations.noSources}</p>
      )}
      {rows.length > 0 && (
        <Table
          caption={`${t.integrations.sources}: ${connection.title}`}
          columns={SOURCE_COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          details={(source) =>
            source.id === shown && <Runs key={source.last_run?.updated_at} source={source} />
          }
          actions={(source) => (
            <>
              <Button
                kind="plain"
                isBusy={isGoingOn(source.last_run)}
                label={`${t.integrations.sync}: ${source.name}`}
                onClick={() => sync(source)}
              >
                {t.integrations.sync}
              </Button>
              <Button
                kind="plain"
                label={`${source.id === shown ? t.integrations.hideRuns : t.integrations.runs}: ${source.name}`}
                isExpanded={source.id === shown}
                onClick={() => setShown(source.id === shown ? undefined : source.id)}
              >
                {source.id === shown ? t.integrations.hideRuns : t.integrations.runs}
              </Button>
            </>
          )}
        />
      )}
    </>
  );
};

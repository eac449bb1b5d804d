import type { OwnSession } from '../../../../shared/schemas/session.ts';
import { send } from '../api.ts';
import { useLoaded, useWork } from '../hooks.ts';
import { t } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Button, Chip, Time } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { type Column, Table } from '../ui/table.tsx';

const x = t.profile;

const PATH = '/me/sessions';

/** What names browsers and systems, the one that others imitate last. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(\w*Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (names: typeof BROWSERS, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** The browser and the system that a browser has named, such as `Firefox, Windows`. */
const deviceText = (userAgent: string): string =>
  [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)].filter(Boolean).join(', ') || x.unknownDevice;

const COLUMNS: readonly Column<OwnSession>[] = [
  {
    title: t.common.name,
    cell: ({ user_agent, is_current }) => (
      <>
        <bdi>{deviceText(user_agent)}</bdi> {is_current && <Chip mood="good">{x.thisDevice}</Chip>}
      </>
    ),
  },
  { title: x.since, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: t.keys.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];

/** Where a person is signed in, and the end of it. */
export const Sessions = () => {
  const sessions = useLoaded<OwnSession[]>(PATH);
  const work = useWork();
  const end = (path: string, said: string) =>
    void work.run(async () => {
      await send('DELETE', path);
      say(said);
      await sessions.reload();
    });
  return (
    <div class="part">
      <h2>{x.sessions}</h2>
      <p class="help">{x.sessionsLead}</p>
      <FailureNotice failure={sessions.failure ?? work.failure} onRetry={() => void sessions.reload()} />
      {sessions.value && (
        <Table
          caption={x.sessions}
          columns={COLUMNS}
          rows={sessions.value}
          keyOf={({ id }) => id}
          actions={({ id, user_agent, is_current }) =>
            !is_current && (
              <Button
                kind="plain danger"
                label={`${t.signOut}: ${deviceText(user_agent)}`}
                onClick={() => end(`${PATH}/${id}`, x.sessionEnded)}
              >
                {t.signOut}
              </Button>
            )
          }
        />
      )}
      {sessions.value?.some(({ is_current }) => !is_current) && (
        <p class="bar">
          <Button isBusy={work.isBusy} onClick={() => end(PATH, x.othersEnded)}>
            {x.endOthers}
          </Button>
        </p>
      )}
    </div>
  );
};

import type { Problem } from '../../../../../shared/base/problem.ts';
import type { BulkChangeRow, FieldChange } from '../../../../../shared/schemas/bulk-change.ts';
import { ARROW } from '../../formats.ts';
import { t, words } from '../../page.ts';
import { problemText } from '../../ui/words.ts';
import { Value as Word } from '../activity.tsx';
import { LinkTo } from '../links.tsx';
import { namedIn } from '../places.ts';

const x = t.explore;

/** What the fields are called that a bulk change can change, and those that follow. */
const LABELS: Readonly<Record<string, string>> = {
  approver_id: t.members.approver,
  archived_at: words.statuses.archived,
  assignee_id: words.assignee,
  assignee_ids: words.assignee,
  client_account_id: words.client,
  contact: x.contact,
  decommissioned_at: x.assetStatuses.decommissioned,
  due_at: words.due,
  location_id: words.location,
  note: words.note,
  parent_id: x.partOf,
  participants: words.participants,
  region_id: x.region,
  resolution: x.resolution,
  status: t.common.status,
  tags: x.tag,
  verification_note: words.verificationNote,
  verified_at: words.verified,
  verified_by: words.workbook.verifiedBy,
};

/** The words for statuses that no other list has. */
const STATES: Readonly<Record<string, string>> = {
  ...x.assetStatuses,
  active: t.webhooks.active,
  inactive: x.inactive,
  paused: t.integrations.paused,
};

const One = ({ field, value }: { field: string; value: unknown }) => {
  if (value === null || value === undefined || value === '') return <>–</>;
  if (typeof value === 'boolean') return <>{value ? t.common.yes : t.common.no}</>;
  if (typeof value === 'object') {
    const { name, company, user_id } = value as { name?: string; company?: string; user_id?: string };
    const known = [name, company].filter(Boolean).join(', ') || user_id;
    return <bdi>{known ?? JSON.stringify(value)}</bdi>;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // The one in which a location stands is a location.
  const name = field === 'parent_id' ? 'location_id' : field;
  const [named] = namedIn('', { [name]: text });
  if (named) return <LinkTo {...named} />;
  return field === 'status' && STATES[text] ? <>{STATES[text]}</> : <Word text={text} />;
};

const Value = ({ field, value }: { field: string; value: unknown }) => {
  if (!Array.isArray(value)) return <One field={field} value={value} />;
  if (value.length === 0) return <>–</>;
  return (
    <>
      {value.map((each, n) => (
        <>
          {n > 0 && ', '}
          <One field={field} value={each} />
        </>
      ))}
    </>
  );
};

/** The values of a row before and after. */
export const Changes = ({ changes }: { changes: readonly FieldChange[] }) => (
  <>
    {changes.map(({ field, from, to }) => (
      <span class="item" key={field}>
        {LABELS[field] ?? <code>{field}</code>}
        {': '}
        <Value field={field} value={from} /> {ARROW} <Value field={field} value={to} />
      </span>
    ))}
  </>
);

/** Why a row was not changed, as the operation for it alone says. */
export const Why = ({ detail }: Pick<BulkChangeRow, 'detail'>) => {
  if (detail === null) return null;
  if (typeof detail === 'string') return <bdi lang="en">{detail}</bdi>;
  return (
    <>
      {detail.map((problem) => (
        <span class="item" key={problem.loc.join('.')}>
          <code>{problem.loc.slice(1).join('.')}</code>: {problemText(problem as Problem)}
        </span>
      ))}
    </>
  );
};

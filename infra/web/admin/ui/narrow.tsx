import { compareTexts } from '../formats.ts';
import { t } from '../page.ts';
import { keepInAddress } from '../route.ts';
import { SelectField, TextField } from './fields.tsx';

/** How the rows of a list that is read as a whole can be narrowed down and ordered. */
export interface Narrowing<Row> {
  /** All that is looked through. */
  texts: (row: Row) => readonly (string | null)[];
  status: (row: Row) => string;
  /** The statuses with their labels. */
  statuses: Readonly<Record<string, string>>;
  /** Orders by their names in the address: a label, and what they compare. The first one is the usual one. */
  orders: Readonly<
    Record<string, { label: string; by: (row: Row) => string | null; isNewestFirst?: boolean }>
  >;
}

const inAddress = () => Object.fromEntries(new URLSearchParams(location.search));

/** The rows that the address asks for, in its order. */
export const narrowed = <Row,>(rows: readonly Row[], { texts, status, orders }: Narrowing<Row>): Row[] => {
  const { q = '', status: wanted = '', sort = '' } = inAddress();
  const text = q.trim().toLowerCase();
  const order = orders[sort] ?? Object.values(orders)[0]!;
  const sign = order.isNewestFirst ? -1 : 1;
  return rows
    .filter((row) => texts(row).some((each) => each?.toLowerCase().includes(text)))
    .filter((row) => wanted === '' || status(row) === wanted)
    .toSorted((one, other) => sign * compareTexts(order.by(one) ?? '', order.by(other) ?? ''));
};

/** Whether the address asks for some of the rows only. */
export const isNarrowed = (): boolean => {
  const { q, status } = inAddress();
  return Boolean(q || status);
};

/** The fields that narrow a list down. What they hold is kept in the address. */
export const Narrow = <Row,>({ statuses, orders }: Narrowing<Row>) => {
  const asked = inAddress();
  const change = (changed: Record<string, string>) => keepInAddress({ ...asked, ...changed });
  return (
    <div class="filters">
      <TextField
        label={t.explore.search}
        value={asked['q'] ?? ''}
        most={200}
        onChange={(q) => change({ q })}
      />
      <SelectField
        label={t.common.status}
        value={asked['status'] ?? ''}
        options={[['', t.common.all], ...Object.entries(statuses)]}
        onChange={(status) => change({ status })}
      />
      <SelectField
        label={t.explore.sortBy}
        value={asked['sort'] ?? Object.keys(orders)[0]!}
        options={Object.entries(orders).map(([name, { label }]) => [name, label])}
        onChange={(sort) => change({ sort })}
      />
    </div>
  );
};

import { type ComponentChildren, Fragment } from 'preact';
import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import type { Pages } from '../hooks.ts';
import { t } from '../page.ts';
import { Button } from './parts.tsx';

/** A column, and what it shows of a row. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** What it links to. Whoever may not open that does not see the column. */
  place?: AdminPlace;
}

interface TableProps<Row> {
  caption: string;
  /** The first one names the row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What can be done with a row. */
  actions?: (row: Row) => ComponentChildren;
  /** More about a row, right below it; false where it is not asked for. */
  details?: (row: Row) => ComponentChildren;
}

/** A row of its own over the whole width; nothing where there is nothing to show. */
const Details = ({ of, width }: { of: ComponentChildren; width: number }) =>
  of ? (
    <tr role="row" class="details">
      <td role="cell" colSpan={width}>
        {of}
      </td>
    </tr>
  ) : null;

/** Rows: a table, and on a phone a card for each. The roles stay what they are when the style makes cards of them. */
export const Table = <Row,>({ caption, columns, rows, keyOf, actions, details }: TableProps<Row>) => (
  <table role="table">
    <caption>{caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ title }) => (
          <th scope="col" role="columnheader" key={title}>
            {title}
          </th>
        ))}
        {actions && (
          <th scope="col" role="columnheader">
            <span class="away">{t.common.actions}</span>
          </th>
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {rows.map((row) => (
        <Fragment key={keyOf(row)}>
          <tr role="row">
            {columns.map(({ title, cell }, position) =>
              position === 0 ? (
                <th scope="row" role="rowheader" key={title}>
                  {cell(row)}
                </th>
              ) : (
                <td role="cell" data-label={title} key={title}>
                  <span>{cell(row)}</span>
                </td>
              ),
            )}
            {actions && (
              <td role="cell" class="acts">
                {actions(row)}
              </td>
            )}
          </tr>
          <Details of={details?.(row)} width={columns.length + (actions ? 1 : 0)} />
        </Fragment>
      ))}
    </tbody>
  </table>
);

/** A button that reads the next page of a list, where there is one. */
export const More = ({ more, isLoading }: Pick<Pages<unknown>, 'more' | 'isLoading'>) =>
  more ? (
    <p class="part">
      <Button isBusy={isLoading} onClick={more}>
        {t.common.more}
      </Button>
    </p>
  ) : null;

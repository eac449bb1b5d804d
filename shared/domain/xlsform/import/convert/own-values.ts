import { ownColumn } from '../../form/columns.ts';
import { hasOwn, takeOwn } from '../../form/own-columns.ts';
import type { Row } from '../../form/table.ts';
import type { Form } from '../read/form.ts';

const isOutdated = ({ outdated }: Form, row: Row, attribute: string) =>
  outdated.has(`${row.number}:${attribute}`);

/** Whether this service's own column of an attribute has a value that counts. */
export const hasOwnValue = (form: Form, row: Row, attribute: string): boolean =>
  hasOwn(row, attribute) && !isOutdated(form, row, attribute);

/** The value in this service's own column of an attribute; undefined, with a remark, where it does not count. */
export const takeOwnValue = (form: Form, row: Row, attribute: string): unknown => {
  if (!isOutdated(form, row, attribute)) return takeOwn(row, attribute);
  const message = 'not used, because a standard column that this column adds to has been edited';
  form.log.note(row, ownColumn(attribute), message);
  return undefined;
};

import { v5 } from 'uuid';
import { ResponseSet } from '../../../../schemas/templates/content.ts';
import { ownColumn } from '../../form/columns.ts';
import { takeOwn } from '../../form/own-columns.ts';
import type { Form } from '../read/form.ts';
import type { Node } from '../read/tree.ts';

/** The namespace of this service for ids that are made of names (RFC 9562, section 5.5). */
const NAMESPACE = '7f0c9c52-2f0b-5d7e-9a41-3c1d6f5b8e20';

/** The id of a part. Later versions of the form give the same id. */
export const idOf = ({ key }: Pick<Form, 'key'>, kind: string, path: string): string =>
  v5(JSON.stringify([key, kind, path]), NAMESPACE);

/**
 * The id of a field or section: its own if this service wrote the row, else one made of its path.
 * @param placed the rows by their ids; this row is added
 */
export const partId = (
  form: Pick<Form, 'key' | 'log'>,
  placed: Map<string, Node>,
  node: Node,
  kind: 'field' | 'section',
): string => {
  const given = takeOwn(node.row, 'id');
  const { success, data } = ResponseSet.shape.id.safeParse(given ?? idOf(form, kind, node.path));
  if (!success) form.log.problem(node.row, ownColumn('id'), 'Input should be a valid UUID');
  else if (given !== undefined && placed.has(data))
    form.log.problem(node.row, ownColumn('id'), 'another row has the same id');
  const id = data ?? idOf(form, kind, node.path);
  placed.set(id, node);
  return id;
};

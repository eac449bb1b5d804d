import { take } from '../../form/table.ts';
import type { Node } from './tree.ts';

export type Parameters = ReadonlyMap<string, string>;

/** The parameters of a row by name, in lower case. A parameter without a value has the value "". */
export const parametersOf = ({ row }: Pick<Node, 'row'>): Parameters =>
  new Map(
    [...take(row, 'parameters').matchAll(/([^\s,;=]+)(?:\s*=\s*([^\s,;]+))?/g)].map(
      ([, name = '', value = '']) => [name.toLowerCase(), value],
    ),
  );

import { MAX_FIELDS, MAX_SECTIONS } from '../../../../schemas/templates/content-size.ts';
import { MAX_COLUMNS } from '../../../../schemas/templates/xlsform-limits.ts';
import { MAX_SECTION_DEPTH } from '../../../content/limits.ts';
import { hasOwn } from '../../form/own-columns.ts';
import type { Table } from '../../form/table.ts';
import type { Diagnostics } from '../diagnostics.ts';
import type { Node } from './tree.ts';

/** Whether a row becomes a start field. The number of start fields is checked when they are converted. */
const isStart = ({ type, parent }: Node): boolean =>
  (type.kind === 'question' && type.start !== undefined) ||
  (parent !== undefined && hasOwn(parent.row, 'start'));

const depthOf = ({ parent }: Node): number => (parent?.parent ? 1 + depthOf(parent) : 1);

/** Whether a row becomes a section. Groups that are nested too deeply do not. */
const isSection = (node: Node): boolean =>
  node.type.kind === 'begin' && !hasOwn(node.row, 'start') && depthOf(node) <= MAX_SECTION_DEPTH;

const thousands = (count: number): string => count.toLocaleString('en');

/**
 * Checks, before anything is converted, that a form does not have too many groups or questions for a content. Rows that
 * record something, such as the start time, count as questions: no usable form has many.
 * @throws FormError with the first row beyond a limit, and with all earlier problems
 */
export const checkSize = (nodes: Iterable<Node>, log: Diagnostics): void => {
  const sections: Node[] = [];
  const questions: Node[] = [];
  for (const node of nodes)
    if (isSection(node)) sections.push(node);
    else if (!isStart(node) && !hasOwn(node.row, 'start')) questions.push(node);
  for (const [found, most, what] of [
    [sections, MAX_SECTIONS, 'groups and repeats'],
    [questions, MAX_FIELDS, 'questions'],
  ] as const) {
    const extra = found[most];
    if (!extra) continue;
    const message = `a form can have at most ${thousands(most)} ${what}, but this one has ${thousands(found.length)}. Divide it into several forms`;
    log.problem(extra.row, 'type', message, 'too_long');
  }
  if (sections.length > MAX_SECTIONS || questions.length > MAX_FIELDS) log.throwProblems();
};

/**
 * Checks that no sheet has too many columns.
 * @throws FormError with a problem for each sheet that has
 */
export const checkColumns = (tables: readonly Table[], log: Diagnostics): void => {
  for (const { name, columns } of tables)
    if (columns.length > MAX_COLUMNS)
      log.problems.push({
        sheet: name,
        row: null,
        column: null,
        message: `a sheet can have at most ${thousands(MAX_COLUMNS)} columns, but this one has ${thousands(columns.length)}`,
        type: 'too_long',
      });
  log.throwProblems();
};

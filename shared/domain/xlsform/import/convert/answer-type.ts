import type { FieldType } from '../../../../schemas/templates/content.ts';
import { take } from '../../form/table.ts';
import { MAX_OPTIONS } from '../read/choices.ts';
import { fileFaultOf } from '../read/file-lists.ts';
import type { Form } from '../read/form.ts';
import { appearances, type RowType } from '../read/question-types.ts';
import type { Node } from '../read/tree.ts';
import { listOf } from './references.ts';

type Select = RowType & { kind: 'select' };
export type QuestionNode = Node & { type: RowType & { kind: 'select' | 'question' } };

/** Whether a row asks a question. */
export const isQuestion = (node: Node): node is QuestionNode =>
  node.type.kind === 'question' || node.type.kind === 'select';

/** The field type of a select: text, with a remark, where a content cannot offer its options. */
const selectType = (form: Form, node: Node, type: Select): FieldType => {
  const { log } = form;
  const list = listOf(form, node);
  const asText = (why: string): FieldType => {
    log.lost(node.row, 'type', `this question becomes a text field, because ${why}`);
    return 'text';
  };
  const fault = fileFaultOf(form.fileLists, node);
  if (fault !== undefined) return asText(fault);
  if (type.source === 'answers') return asText('its options are answers to earlier questions');
  if (!list) {
    log.problem(node.row, 'type', `the choices sheet has no list "${type.list}"`);
    return 'text';
  }
  if (list.options.length > MAX_OPTIONS)
    return asText(`the list has ${list.options.length} options and the maximum is ${MAX_OPTIONS}`);
  if (type.isRanked)
    log.lost(
      node.row,
      'type',
      'people choose options without putting them in order: the order is not recorded',
    );
  return type.many ? 'multi_select' : 'single_select';
};

/** The field type of a question by its type and appearance. */
export const answerTypeOf = (form: Form, node: QuestionNode): FieldType => {
  const type = node.type.kind === 'select' ? selectType(form, node, node.type) : node.type.type;
  const words = take(node.row, 'appearance').split(/\s+/).filter(Boolean);
  const found = words.find((word) => appearances.has(`${type} ${word}`));
  const left = words.filter((word) => word !== found);
  if (left.length > 0)
    form.log.note(
      node.row,
      'appearance',
      `not used, because the app decides how a question looks: ${left.join(' ')}`,
    );
  return appearances.get(`${type} ${found}`) ?? type;
};

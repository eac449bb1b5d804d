import type { Field, Section, StartField } from '../../../../schemas/templates/content.ts';
import { MAX_SECTION_DEPTH } from '../../../content/limits.ts';
import { settleAll } from '../../form/table.ts';
import type { Node } from '../read/tree.ts';
import { type Conversion, conversionOf, isStartGroup, outcomeOf } from './outcomes.ts';
import { type Converted, fieldOf, sectionOf, startFieldOf } from './parts.ts';
import type { LinkedForm } from './references.ts';

/** A part of the content in its place among the other rows of the form. */
export type Item =
  | ({ as: 'start' } & Converted<StartField>)
  | ({ as: 'field' } & Converted<Field>)
  | ({ as: 'section'; items: Item[] } & Converted<Section>)
  /** A group that is nested too deeply to be a section: its parts go to the section around it. */
  | ({ as: 'dissolved'; items: Item[] } & Converted<Section>)
  /** The group that holds the start fields, in a form that this service wrote. */
  | { as: 'startGroup'; node: Node; items: Item[] };

/** A form with the parts that its rows become. */
export interface ConvertedForm extends LinkedForm {
  items: readonly Item[];
  /** The rows of fields and sections by id, of start fields by key. */
  placed: ReadonlyMap<string, Node>;
}

/** @param depth how many sections are around the rows */
const itemOf = (conversion: Conversion, node: Node, depth: number): Item[] => {
  const outcome = outcomeOf(conversion, node);
  switch (outcome.as) {
    case 'nothing':
      return [];
    case 'start':
      return [{ as: 'start', ...startFieldOf(conversion, node, outcome) }];
    case 'field':
      return [{ as: 'field', ...fieldOf(conversion, node, outcome) }];
    case 'section': {
      if (isStartGroup(node)) {
        settleAll(node.row);
        return [{ as: 'startGroup', node, items: itemsOf(conversion, node, depth) }];
      }
      const section = sectionOf(conversion, node);
      if (depth < MAX_SECTION_DEPTH)
        return [{ as: 'section', ...section, items: itemsOf(conversion, node, depth + 1) }];
      const message = `sections can be nested ${MAX_SECTION_DEPTH} levels deep, so the rows of this group are now in the group around it`;
      conversion.log.lost(node.row, 'type', message);
      return [{ as: 'dissolved', ...section, items: itemsOf(conversion, node, depth) }];
    }
  }
};

const itemsOf = (conversion: Conversion, { children }: Node, depth: number): Item[] =>
  children.flatMap((node) => itemOf(conversion, node, depth));

/** Decides what each row becomes and converts it, in the order of the survey. */
export const convertForm = (form: LinkedForm): ConvertedForm => {
  const conversion = conversionOf(form);
  const items = itemsOf(conversion, form.root, 0);
  return { ...form, items, placed: conversion.placed };
};

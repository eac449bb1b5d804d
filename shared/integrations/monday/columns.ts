import * as z from 'zod';
import { storable } from '../../base/text.ts';
import { type Column, type ColumnOption, FieldType } from '../../schemas/integrations/vendor.ts';
import type { ColumnReply } from './replies.ts';

/** Its text is the item's name; monday.com gives it beside the values, not among them. */
export const NAME_COLUMN = 'name';

/** Free words can be anything that our fields hold. */
const ANYTHING = FieldType.options;
const CHOICE: FieldType[] = ['text', 'number', 'boolean', 'timezone', 'color', 'reference'];

/** What a column of each type can fill (monday.com API, ColumnType). A type that is not here fills nothing. */
const FIELD_TYPES: Readonly<Record<string, readonly FieldType[]>> = {
  name: ANYTHING,
  text: ANYTHING,
  formula: ANYTHING,
  mirror: ANYTHING,
  long_text: ['text', 'address'],
  status: CHOICE,
  dropdown: CHOICE,
  numbers: ['number', 'latitude', 'longitude', 'text', 'reference'],
  rating: ['number', 'text'],
  auto_number: ['number', 'text', 'reference'],
  item_id: ['text', 'reference'],
  checkbox: ['boolean'],
  email: ['email', 'text', 'reference'],
  phone: ['phone', 'text'],
  location: ['address', 'latitude', 'longitude', 'text'],
  country: ['text', 'address'],
  world_clock: ['timezone', 'text'],
  color_picker: ['color', 'text'],
  board_relation: ['reference', 'text'],
  dependency: ['reference', 'text'],
  people: ['text', 'reference'],
  team: ['text', 'reference'],
  tags: ['text', 'reference'],
  link: ['text'],
  date: ['text'],
  timeline: ['text'],
  hour: ['text'],
  week: ['text'],
  creation_log: ['text'],
  last_updated: ['text'],
};

export const fieldTypesOf = (type: string): readonly FieldType[] => FIELD_TYPES[type] ?? [];

/** Settings are JSON, which older versions give as text. */
const settingsOf = ({ settings }: Pick<ColumnReply, 'settings'>): unknown => {
  if (typeof settings !== 'string') return settings;
  try {
    return JSON.parse(settings) as unknown;
  } catch {
    return undefined;
  }
};

const Label = z.object({
  label: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  index: z.number().optional().catch(undefined),
  is_deactivated: z.boolean().optional().catch(undefined),
});
const Labels = z.object({ labels: z.array(Label.catch({})) });

/** The form before version 2025-10: labels by their index, and their colours and places beside them. */
const FormerLabels = z.object({
  labels: z.record(z.string(), z.string()),
  labels_positions_v2: z.record(z.string(), z.number()).catch({}),
  labels_colors: z.record(z.string(), z.object({ color: z.string() })).catch({}),
});

const option = (label: string, color: string | null = null): ColumnOption => ({
  value: storable(label),
  label: storable(label),
  color,
});

/** The options of a status or dropdown column, in the order that people see; empty where the settings have none. */
const optionsOf = (settings: unknown): ColumnOption[] => {
  const { data: current } = Labels.safeParse(settings);
  if (current) {
    return current.labels
      .filter(({ is_deactivated }) => !is_deactivated)
      .toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0))
      .flatMap(({ label, name }) => ((label ?? name) ? [option((label ?? name)!)] : []));
  }
  const { data: former } = FormerLabels.safeParse(settings);
  if (!former) return [];
  const { labels, labels_positions_v2: places, labels_colors: colors } = former;
  return Object.entries(labels)
    .filter(([, label]) => label)
    .toSorted(([one], [other]) => (places[one] ?? 0) - (places[other] ?? 0))
    .map(([index, label]) => option(label, colors[index]?.color ?? null));
};

const BoardIds = z.union([
  z
    .object({ boardIds: z.array(z.union([z.string(), z.int()])).min(1) })
    .transform(({ boardIds }) => boardIds),
  z
    .object({ board_ids: z.array(z.union([z.string(), z.int()])).min(1) })
    .transform(({ board_ids }) => board_ids),
]);

/** The board that holds the subitems of a board with these columns; undefined for a board without subitems. */
export const subitemBoardOf = (columns: readonly ColumnReply[]): string | undefined => {
  const subtasks = columns.find(({ type, archived }) => type === 'subtasks' && !archived);
  const { data: [id] = [] } = BoardIds.safeParse(subtasks && settingsOf(subtasks));
  return id === undefined ? undefined : String(id);
};

/** The columns that a board shows. */
export const columnsOf = (columns: readonly ColumnReply[]): Column[] =>
  columns
    .filter(({ archived }) => !archived)
    .map((column) => ({
      id: column.id,
      title: column.title,
      type: column.type,
      description: column.description,
      options: ['status', 'dropdown'].includes(column.type) ? optionsOf(settingsOf(column)) : [],
      target_field_types: [...fieldTypesOf(column.type)],
    }));

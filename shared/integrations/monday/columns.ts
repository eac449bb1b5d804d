import * as z from 'zod';
import { storable } from '../../base/text.ts';
import { type Column, type ColumnOption, FieldType } from '../../schemas/integrations/vendor.ts';
import type { ColumnReply } from './replies.ts';

/** The column of the item's name. monday.com does not give it among the values. */
export const NAME_COLUMN = 'name';

/** A free text may fill any field. */
const ANYTHING = FieldType.options;
const CHOICE: FieldType[] = ['text', 'number', 'boolean', 'timezone', 'color', 'reference'];

/** The types of fields that a column of each type can fill (monday.com API, ColumnType). Other columns fill none. */
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
const parsedSettings = (settings: unknown): unknown => {
  if (typeof settings !== 'string') return settings;
  try {
    return JSON.parse(settings) as unknown;
  } catch {
    return undefined;
  }
};

const Label = z.object({
  id: z.number().optional().catch(undefined),
  label: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  index: z.number().optional().catch(undefined),
  is_deactivated: z.boolean().optional().catch(undefined),
});
const Labels = z.object({ labels: z.array(Label.catch({})) });

/** The colors of labels by their ids (monday.com changelog, `labels_colors`). Anything else than a color is none. */
const LabelColors = z.object({
  labels_colors: z.record(
    z.string(),
    z
      .object({ color: z.string().regex(/^#[0-9a-f]{6}$/i) })
      .transform(({ color }): string | null => color)
      .catch(null),
  ),
});

/** The form before version 2025-10: the labels by their ids, and their order in a second member. */
const FormerLabels = z.object({
  labels: z.record(z.string(), z.string()),
  labels_positions_v2: z.record(z.string(), z.number()).catch({}),
});

const option = (label: string, color: string | null = null): ColumnOption => ({
  value: storable(label),
  label: storable(label),
  color,
});

/** The options of a status or dropdown column, in the order that people see; empty where the settings have none. */
const optionsOf = (settings: unknown, former: unknown): ColumnOption[] => {
  const { data: { labels_colors: colors } = { labels_colors: {} } } = LabelColors.safeParse(former);
  const colorOf = (id: string | number | undefined) => colors[String(id)] ?? null;
  const { data: current } = Labels.safeParse(settings);
  if (current) {
    return current.labels
      .filter(({ is_deactivated }) => !is_deactivated)
      .toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0))
      .flatMap(({ id, label, name }) => ((label ?? name) ? [option((label ?? name)!, colorOf(id))] : []));
  }
  const { data } = FormerLabels.safeParse(former);
  if (!data) return [];
  const { labels, labels_positions_v2: places } = data;
  return Object.entries(labels)
    .filter(([, label]) => label)
    .toSorted(([one], [other]) => (places[one] ?? 0) - (places[other] ?? 0))
    .map(([id, label]) => option(label, colorOf(id)));
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
  const { data: [id] = [] } = BoardIds.safeParse(parsedSettings(subtasks?.settings));
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
      options: ['status', 'dropdown'].includes(column.type)
        ? optionsOf(parsedSettings(column.settings), parsedSettings(column.settings_str ?? column.settings))
        : [],
      target_field_types: [...fieldTypesOf(column.type)],
    }));

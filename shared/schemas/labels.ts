import * as z from 'zod';
import { Tag, Tags, VisibleText } from './common.ts';
import { changedAs, initially } from './resource.ts';

/** Tags of one resource. */
export const MAX_LABELS = 20;

/** Pairs of a resource's metadata. */
export const MAX_PAIRS = 20;

export const MetadataKey = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,39}$/)
  .meta({ description: 'A letter, then up to 39 letters, digits, `_`, `.` or `-`.' });

export const MetadataValue = VisibleText.min(1).max(200);

const few =
  (most: number): z.core.CheckFn<Readonly<Record<string, unknown>>> =>
  ({ value, issues }) => {
    if (Object.keys(value).length <= most) return;
    issues.push({ code: 'custom', message: `Value error, more than ${most} pairs`, input: value });
  };

export const Metadata = z
  .record(MetadataKey, MetadataValue)
  .check(few(MAX_PAIRS))
  .meta({
    description: `Short texts of the client's own, by their keys: at most ${MAX_PAIRS}. Lists find a resource by \`metadata.<key>=<text>\`.`,
    examples: [{ cost_center: '4711' }],
  });
export type Metadata = z.output<typeof Metadata>;

const MetadataChanges = z
  .record(MetadataKey, MetadataValue.nullable())
  .check(few(2 * MAX_PAIRS))
  .meta({
    description: `Pairs that are added or replaced; null removes one. Those that are left out stay. At most ${MAX_PAIRS} remain: \`422\`.`,
    examples: [{ cost_center: '4711', former_owner: null }],
  });

/** By which words and texts of the organization's own a resource is found. */
export const labelFields = {
  tags: initially(
    [],
    Tags.max(MAX_LABELS).meta({
      description: `Words of the organization's own, at most ${MAX_LABELS}, each only once; case is ignored.`,
      examples: [['high-rise']],
    }),
  ),
  metadata: changedAs(MetadataChanges, initially({}, Metadata)),
};

/** The filters of a list by labels. */
export const labelFilters = {
  tag: z
    .array(Tag)
    .max(MAX_LABELS)
    .optional()
    .meta({ description: 'Only with one of these tags; case is ignored.' }),
  metadata: z
    .record(MetadataKey, MetadataValue)
    .check(few(MAX_PAIRS))
    .optional()
    .meta({ description: 'Only with all of these texts in their metadata: `metadata.<key>=<text>`.' }),
};

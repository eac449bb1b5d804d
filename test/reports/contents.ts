import fc from 'fast-check';
import { Content, FieldType } from '../../shared/schemas/templates/content.ts';
import { uuid } from './food-establishment.ts';

const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 3 });
const choice = (value: string) =>
  fc.record({
    value: fc.constant(value),
    label: fc.constant(value.toUpperCase()),
    is_failed: fc.boolean(),
    is_na: fc.boolean(),
  });

const FAIL_RULES = [
  { op: 'eq', value: false },
  { op: 'eq', value: 'Sample' },
  { op: 'gt', value: 7.5 },
  { op: 'outside', value: [2, 8] },
  { op: 'lt', value: '2026-01-01' },
  { op: 'in', value: ['a', 'b'] },
  { op: 'not_empty' },
];
const PATTERNS = ['[A-Z]{2}\\d+', '\\d{4}', '.+@.+', 'zzz', '('];

/** Whatever a draft may ask, contradictory limits included; ids and conditions come later. */
const question = fc.record({
  type: fc.constantFrom(...FieldType.options),
  label: fc.constantFrom('Rail', 'Βάρος', 'درجة الحرارة', '温度'),
  min: sometimes(fc.integer({ min: -50, max: 50 })),
  max: sometimes(fc.integer({ min: -50, max: 5_000 })),
  step: sometimes(fc.constantFrom(0.1, 0.25, 1, 3, 50, 0)),
  pattern: sometimes(fc.constantFrom(...PATTERNS)),
  max_length: sometimes(fc.integer({ min: 1, max: 60 })),
  options: sometimes(fc.tuple(choice('a'), choice('b'), choice('c')).map((all) => [...all])),
});

const sectionField = fc.record({
  allow_na: fc.boolean(),
  required: fc.boolean(),
  note_required_on: fc.constantFrom([], ['failed']),
  fail_if: sometimes(fc.constantFrom(...FAIL_RULES)),
  media: sometimes(
    fc.record({
      kinds: sometimes(fc.constantFrom(['photo'], ['video', 'file'])),
      min: fc.integer({ min: 0, max: 4 }),
      max: fc.integer({ min: 1, max: 5 }),
    }),
  ),
  finding: sometimes(
    fc.record({
      create: fc.constantFrom('never', 'prompt', 'auto'),
      severity: fc.constantFrom('minor', 'critical'),
      corrective_action: fc.constantFrom(null, { title: 'Repair it', due_in_days: 7 }),
    }),
  ),
  formula: sometimes(fc.constantFrom('1 + 1', '1 +', 'round(1/3, 2)')),
});

const repeat = fc.record({
  min: fc.integer({ min: 0, max: 4 }),
  max: fc.integer({ min: 1, max: 5 }),
});

interface Shape {
  fields: object[];
  sections: Shape[];
  repeat: object | null;
  condition: { op: string; value?: unknown } | null;
}

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    fields: fc.array(
      fc.tuple(question, sectionField).map(([asked, more]) => ({ ...asked, ...more })),
      { maxLength: 6 },
    ),
    sections: fc.oneof({ maxDepth: 3 }, fc.constant<Shape[]>([]), fc.array(tie('shape'), { maxLength: 2 })),
    repeat: sometimes(repeat),
    condition: sometimes(
      fc.constantFrom({ op: 'not_empty' }, { op: 'empty' }, { op: 'failed' }, { op: 'eq', value: 'a' }),
    ),
  }),
}));

/** Any content that a draft may have; a section's condition asks for the first field of all. */
export const anyContent: fc.Arbitrary<Content> = fc
  .tuple(fc.array(shape, { minLength: 1, maxLength: 4 }), fc.array(question, { maxLength: 4 }))
  .map(([shapes, start]) => {
    let fields = 0;
    let sections = 0;
    const section = ({ condition, ...given }: Shape): object => ({
      id: uuid(5, ++sections),
      title: `Section ${sections}`,
      visible_if: sections > 1 && condition ? { field_id: uuid(6, 1), ...condition } : null,
      repeat: given.repeat,
      fields: given.fields.map((more) => ({ id: uuid(6, ++fields), ...more })),
      sections: given.sections.map(section),
    });
    return Content.parse({
      sections: shapes.map(section),
      start: {
        fields: start
          .filter(({ type }) => type !== 'reference' && type !== 'calculated')
          .map((more, n) => ({ key: `start_${n}`, ...more })),
      },
    });
  });

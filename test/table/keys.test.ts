import fc from 'fast-check';
import { sha256 } from '../../shared/base/encoding.ts';
import { valuesIn } from '../../shared/table/key-templates.ts';
import { type Key, keys, kindOf } from '../../shared/table/keys.ts';
import { runs } from '../support/scale.ts';

type Entry = ((...values: unknown[]) => Key) & { template: { pk: string; sk: string } };

/** All rows of the table: their templates by name. */
const CHART = Object.entries(keys as unknown as Record<string, Entry>).filter(
  ([, entry]) => entry.template !== undefined,
);

/** The words that can stand in a part of a key between two separators; undefined when others can as well. */
const wordsOf = (part: string): string[] | undefined =>
  part.startsWith('{') ? /:([A-Z_|]+)\}/.exec(part)?.[1]!.split('|') : [part];

const takes = (part: string, word: string): boolean => {
  // Only a text between two separators may be empty.
  if (word === '') return part === '' || part.endsWith('?}');
  if (part.endsWith(':sha256}')) return /^[\da-f]{64}$/.test(word);
  return /:\d+\}$/.test(part) ? /^\d+$/.test(word) : (wordsOf(part)?.includes(word) ?? true);
};

const canMeet = (one: string | undefined, other: string | undefined): boolean => {
  if (one === undefined || other === undefined) return false;
  const words = wordsOf(one);
  return words
    ? words.some((word) => takes(other, word))
    : (wordsOf(other)?.some((word) => takes(one, word)) ?? true);
};

/** Whether two templates can make the same text. @param isOpen whether a text at the end may hold separators */
const canBeEqual = (one: string, other: string, isOpen: boolean): boolean => {
  const [ones, others] = [one, other].map((template) => template.replaceAll('\u0001', '#').split('#')) as [
    string[],
    string[],
  ];
  const at = (parts: string[], position: number) =>
    parts[position] ?? (isOpen && /^\{[^:]*\}$/.test(parts.at(-1)!) ? parts.at(-1) : undefined);
  return Array.from({ length: Math.max(ones.length, others.length) }).every((_, position) =>
    canMeet(at(ones, position), at(others, position)),
  );
};

/** What is given for a placeholder, and what is found in the key. */
interface Sample {
  given: unknown[];
  found: Record<string, unknown>;
}

const sampleOf = (name: string, form: string, excluded: string): fc.Arbitrary<Sample> => {
  const text = fc
    .string({ unit: 'binary', minLength: excluded === '' ? 1 : 0 })
    .filter((each) => excluded === '' || !each.includes(excluded));
  const same = (values: fc.Arbitrary<unknown>) =>
    values.map((value) => ({ given: [value], found: { [name]: value } }));
  if (form === 'caller') return fc.uuid().map((org_id) => ({ given: [{ org_id }], found: { org_id } }));
  if (form === 'sha256') {
    const { length } = name.split(',');
    const texts = fc.array(text, { minLength: length, maxLength: length });
    return texts.map((given) => ({ given, found: { [name]: sha256(given.join('\n')) } }));
  }
  if (form === '?') return same(fc.string({ unit: 'binary' }));
  if (form.startsWith('??')) return same(fc.option(text.filter((each) => each !== form.slice(2))));
  if (/^\d+$/.test(form)) return same(fc.maxSafeNat());
  return same(form === '' ? text : fc.constantFrom(...form.split('|')));
};

/** Values for a template. A text holds anything but the character after it, or, at the end, what is excluded there. */
const samplesOf = (template: string, excluded: string): fc.Arbitrary<Sample> =>
  fc
    .tuple(
      ...Array.from(template.matchAll(/\{([\w,]+):?(.*?)\}([^]?)/g), ([, name, form, next]) =>
        sampleOf(name!, form!, next || excluded),
      ),
    )
    .map((samples) => ({
      given: samples.flatMap(({ given }) => given),
      found: Object.assign({}, ...samples.map(({ found }) => found)) as Record<string, unknown>,
    }));

describe('the templates of keys', () => {
  test('never make the same key for two rows', () => {
    const pairs = CHART.flatMap(([name, { template: one }], position) =>
      CHART.slice(position + 1)
        .filter(
          ([, { template: other }]) =>
            canBeEqual(one.pk, other.pk, false) && canBeEqual(one.sk, other.sk, true),
        )
        .map(([other]) => [name, other]),
    );
    expect(pairs).toEqual([]);
  });

  test.each(CHART)('give back the values of a key of %s, and no other template does', (name, entry) => {
    const values = fc.tuple(samplesOf(entry.template.pk, '#'), samplesOf(entry.template.sk, ''));
    fc.assert(
      fc.property(values, ([ofPk, ofSk]) => {
        const key = entry(...ofPk.given, ...ofSk.given);
        const found = CHART.map(([each, { template }]) => [each, valuesIn({ template }, key)]);
        expect(found.filter(([, each]) => each)).toEqual([[name, { ...ofPk.found, ...ofSk.found }]]);
        expect(valuesIn(entry, { ...key, pk: `${key.pk}#` })).toBeUndefined();
        const { kind } = { ...ofPk.found, ...ofSk.found };
        expect(kindOf(key)).toBe(name === 'one' || name === 'child' ? kind : name);
      }),
      { numRuns: runs(25) },
    );
  });

  test('begin with the organization, except those of rows that belong to none', () => {
    const others = CHART.filter(([, { template }]) => !/^ORG#\{org_id:caller\}(#|$)/.test(template.pk));
    expect(others.map(([name]) => name)).toEqual([
      'apiKey',
      'keyRequests',
      'keyRefusals',
      'session',
      'ownSession',
      'membership',
      'emailMember',
      'link',
      'visits',
      'migration',
    ]);
  });

  test('share no word at the beginning of sort keys between two sorts of partitions', () => {
    const parents = new Map<string, Set<string>>();
    for (const [, { template }] of CHART) {
      const [first = ''] = template.sk.split('#');
      const isPart = template.pk.startsWith('ORG#') && (!first.startsWith('{') || template.sk.includes('}#'));
      for (const word of isPart ? (wordsOf(first) ?? []) : []) {
        parents.set(word, (parents.get(word) ?? new Set()).add(template.pk));
      }
    }
    expect([...parents].filter(([, { size }]) => size > 1)).toEqual([]);
    expect(parents.size).toBeGreaterThan(30);
  });
});

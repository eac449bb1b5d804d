import {
  conditionText,
  failText,
  type Wording,
  withLabels,
} from '../../infra/web/admin/explore/condition-text.ts';
import { LANGUAGES, type Language } from '../../shared/base/i18n/languages.ts';
import { ADMIN_TEXTS } from '../../shared/base/i18n/texts/admin.ts';
import { indexContent } from '../../shared/domain/content/content-index.ts';
import { type Condition, Content } from '../../shared/schemas/templates/content.ts';
import { uuid } from '../support/content.ts';

const wordingIn = (language: Language): Wording => ({
  texts: ADMIN_TEXTS[language].template,
  yes: ADMIN_TEXTS[language].common.yes,
  no: ADMIN_TEXTS[language].common.no,
  number: (n) => new Intl.NumberFormat(language).format(n),
  list: (texts, type) => new Intl.ListFormat(language, { type }).format(texts),
});

const ENGLISH = wordingIn('en');

const index = indexContent(
  Content.parse({
    start: {
      fields: [{ key: 'weather', type: 'single_select', label: 'Weather', response_set_id: uuid(9) }],
    },
    response_sets: [
      {
        id: uuid(9),
        name: 'Weather',
        options: [
          { value: 's', label: 'Sunny' },
          { value: 'r', label: 'Rain' },
        ],
      },
    ],
    sections: [
      {
        id: uuid(1),
        title: 'Doors',
        fields: [
          { id: uuid(2), type: 'yes_no_na', label: 'Is the door blocked?' },
          { id: uuid(3), type: 'temperature', label: 'Temperature' },
          { id: uuid(4), type: 'checkbox', label: 'Locked at ${weather}' },
        ],
      },
    ],
  }),
);

/** Without the marks that keep the direction of a text. */
const plain = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '');

const said = (condition: Condition): string => plain(conditionText(ENGLISH, index, condition));

describe('A condition in words', () => {
  const isBlocked = { field_id: uuid(2), op: 'eq', value: 'no' } as const;
  const isHot = { field_id: uuid(3), op: 'gt', value: 1_000.5 } as const;

  test.each<[Condition, string]>([
    [isBlocked, '“Is the door blocked?” is “No”'],
    [isHot, '“Temperature” is greater than “1,000.5”'],
    [{ field_id: uuid(4), op: 'ne', value: true }, '“Locked at [Weather]” is not “Yes”'],
    [{ start_key: 'weather', op: 'in', value: ['s', 'r'] }, '“Weather” is “Sunny” or “Rain”'],
    [{ start_key: 'weather', op: 'not_in', value: ['s', 'x'] }, '“Weather” is not “Sunny” or “x”'],
    [{ field_id: uuid(3), op: 'not_empty' }, '“Temperature” is answered'],
    [{ field_id: uuid(3), op: 'failed' }, '“Temperature” fails'],
    [{ field_id: uuid(8), op: 'empty' }, `“${uuid(8)}” is not answered`],
    [
      { all: [isBlocked, { any: [isHot, { start_key: 'weather', op: 'eq', value: 'r' }] }] },
      '“Is the door blocked?” is “No” and (“Temperature” is greater than “1,000.5” or “Weather” is “Rain”)',
    ],
    [{ all: [{ any: [isBlocked] }] }, '“Is the door blocked?” is “No”'],
  ])('%j', (condition, text) => {
    expect(said(condition)).toBe(text);
  });

  test('keeps the direction of what the template says', () => {
    expect(conditionText(ENGLISH, index, isBlocked)).toBe(
      '“\u2068Is the door blocked?\u2069” is “\u2068No\u2069”',
    );
  });

  test('says of a rule when an answer fails, also outside two numbers', () => {
    const text = failText(ENGLISH, index, uuid(3), { op: 'outside', value: [2, 8] });
    expect(plain(text)).toBe('“Temperature” is not between “2” and “8”');
  });

  test.each(LANGUAGES)('leaves nothing to fill in in %s', (language) => {
    const { ops } = ADMIN_TEXTS[language].template;
    for (const op of Object.keys(ops) as (keyof typeof ops)[]) {
      const value = op === 'outside' ? [2, 8] : 5;
      const text = failText(wordingIn(language), index, uuid(3), { op: op as 'eq', value });
      expect([op, text]).toEqual([op, expect.stringContaining('Temperature')]);
      expect([op, text]).toEqual([op, expect.not.stringMatching(/[{}]/)]);
    }
  });
});

test.each([
  [`{${uuid(3)}} * 1.8 + {option.state}`, '[Temperature] * 1.8 + {option.state}'],
  [`Repair \${weather} {field:${uuid(2)}}`, 'Repair [Weather] [Is the door blocked?]'],
])('%s names questions by their labels', (text, shown) => {
  expect(withLabels(text, index)).toBe(shown);
});

import { field, section } from '../../../support/content.ts';
import { published } from './fixtures.ts';

describe('publishProblems: compatibility', () => {
  test.each<[string, string, boolean]>([
    ['text', 'long_text', true],
    ['number', 'temperature', true],
    ['yes_no', 'checkbox', true],
    ['yes_no_na', 'pass_fail_na', true],
    ['photo', 'drawing', true],
    ['date', 'date', true],
    ['text', 'number', false],
    ['date', 'datetime', false],
    ['member', 'location', false],
    ['yes_no', 'yes_no_na', false],
    ['photo', 'signature', false],
  ])('a field that was %s may become %s: %p', (was, is, allowed) => {
    const of = (type: string) => ({
      start: { fields: [{ key: 'a', type, label: 'A' }] },
      sections: [section(1, [], { sections: [section(3, [field(2, type)])] })],
    });
    expect(published(of(is), of(was))).toEqual(
      allowed ? [] : ['start.fields.0.type', 'sections.0.sections.0.fields.0.type'],
    );
  });
});

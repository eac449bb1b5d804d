import { htmlOf, type MailPage, textOf } from '../../shared/mail/page.ts';

const PAGE: MailPage = {
  language: 'en',
  subject: 'Harbour: report',
  organization: 'Harbour',
  logo: null,
  paragraphs: ['Dear Maria,\n\nthe report\nof <today>.\n\nKind regards'],
  blocks: [
    {
      title: 'Kitchen',
      url: null,
      status: null,
      facts: [['Description', 'Renew the contract.\nWeekly traps.']],
      entries: [],
      more: null,
      note: { label: 'Comment', text: 'First.\n\nSecond.' },
    },
  ],
  action: { label: 'Open the report', url: 'https://inspections.example/s/1' },
  hints: [],
  reasons: [
    'You are a member.',
    { label: 'Change your settings.', url: 'https://inspections.example/admin/profile' },
  ],
  stop: null,
};

/** What stands in elements of a kind, without their attributes. */
const inside = (tag: string): string[] =>
  [...htmlOf(PAGE).matchAll(new RegExp(`<${tag}\\b[^>]*>(.*?)</${tag}>`, 'g'))].map(([, text]) => text!);

describe('a mail as HTML', () => {
  test('has paragraphs that are paragraphs, and breaks that Outlook knows', () => {
    expect(inside('p').slice(0, 5)).toEqual([
      'Dear Maria,',
      'the report<br />of &lt;today&gt;.',
      'Kind regards',
      'First.',
      'Second.',
    ]);
    expect(htmlOf(PAGE)).toContain('Renew the contract.<br />Weekly traps.');
    expect(htmlOf(PAGE)).not.toContain('white-space: pre');
  });

  test('has a button whose padding is its cell’s', () => {
    const [, cell, link] = /<td bgcolor="#0b5d56" style="([^"]*)"><a[^>]*style="([^"]*)"/.exec(htmlOf(PAGE))!;
    expect(cell).toContain('padding: 12px 22px');
    expect(link).not.toContain('padding');
  });

  test('leads to the settings, as the text does', () => {
    expect(htmlOf(PAGE)).toMatch(
      /href="https:\/\/inspections\.example\/admin\/profile"[^>]*>Change your settings\.</,
    );
    expect(textOf(PAGE)).toMatch(/Change your settings\.: https:\/\/inspections\.example\/admin\/profile$/);
  });
});

import { Readable } from 'node:stream';
import { buffer, text as textOf } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import ICAL from 'ical.js';
import { SaxesParser } from 'saxes';
import { feed } from '../../../shared/domain/schedules/feed.ts';
import { auditFile } from '../../../shared/reports/formats/audit-csv.ts';
import { answersCsv } from '../../../shared/reports/formats/csv.ts';
import { reportWorkbook } from '../../../shared/reports/formats/report-workbook.ts';
import type { AuditEntry } from '../../../shared/schemas/audit.ts';
import type { CalendarRow } from '../../../shared/schemas/schedules/schedule.ts';
import { unzipped } from '../../support/archives.ts';
import { corrected, findingsWithActions, wideInstances, withText } from '../fixtures/hard-cases.ts';
import { noContent } from '../fixtures/material.ts';

/* HTML, DOCX and PDF have such tests of their own: they run no formulas. */

/** What spreadsheets take for a formula, also in the full width of East Asian keyboards. */
const FORMULAS = [
  '=HYPERLINK("https://evil.example","x")',
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
];

/** What ends a cell, an element or a line in some format. */
const MARKUP = [
  '"><script>alert(1)</script>',
  '&lt;b&gt; ]]> <!-- -->',
  'a","=1+1","b',
  'one\nEND:VEVENT\nBEGIN:VEVENT\nATTACH:https://evil.example',
  'a;b,c\\n\\;',
  'BEGIN:VEVENT',
  'END:VCALENDAR',
  '_x003D_1+1',
  '\u202Etxt.exe',
  'one\u0085END:VEVENT\u2028BEGIN:VEVENT\u2029ATTACH:https://evil.example',
];

const IS_FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const IS_NUMBER = /^-?[\d.]+$/;

const PAYLOADS = [wideInstances, findingsWithActions, corrected] as const;

const cellsOf = (csv: Buffer | string): string[] => parse(csv, { bom: true }).flat();

const entry = (name: string): AuditEntry => ({
  id: '019a0000-0000-7000-8000-000000000000',
  at: '2026-11-23T09:00:00.000Z',
  action: 'organization.updated',
  actor: { id: name, name, kind: 'person', acted_via_key_id: null },
  target_id: name,
  changes: { name: { from: null, to: name } },
});

describe.each([...FORMULAS, ...MARKUP])('the text %j', (text) => {
  test.each([true, false])('is a text as CSV of answers, merged: %s', async (isMerged) => {
    const payloads = PAYLOADS.map((payload) => withText(payload(), text));
    const cells = cellsOf(await buffer(answersCsv(payloads, { isMerged })));
    expect(cells.filter((cell) => IS_FORMULA.test(cell) && !IS_NUMBER.test(cell))).toEqual([]);
    const shown = IS_FORMULA.test(text) ? `'${text}` : text;
    expect(cells.filter((cell) => cell === shown).length).toBeGreaterThan(isMerged ? 60 : 30);
  });

  test('is a text as CSV of the audit log', async () => {
    const file = await textOf(Readable.from(auditFile({ page: [entry(text)] }).text));
    const cells = cellsOf(file);
    expect(file.startsWith('\uFEFFat,')).toBe(true);
    expect(cells.filter((cell) => IS_FORMULA.test(cell))).toEqual([]);
    expect(cells.filter((cell) => cell === (IS_FORMULA.test(text) ? `'${text}` : text))).toHaveLength(3);
  });

  test('is a text in a workbook, and stays one when somebody edits its cell', async () => {
    const payloads = PAYLOADS.map((payload) => withText(payload(), text));
    const files = await unzipped(
      await buffer(reportWorkbook(payloads, { at: new Date(0), language: 'en', contentOf: noContent })),
    );
    const styles = files.get('xl/styles.xml')!.toString();
    const [, formats] = /<cellXfs[^>]*>(.*)<\/cellXfs>/s.exec(styles)!;
    const isQuoted = formats!
      .split('<xf ')
      .slice(1)
      .map((format) => format.includes('quotePrefix="1"'));
    let found = 0;
    for (const [path, content] of files) {
      const parser = new SaxesParser();
      let style = 0;
      let value = '';
      parser.on('error', (error) => {
        throw new Error(`${path}: ${error.message}`);
      });
      parser.on('opentag', ({ name, attributes }) => {
        expect(name).not.toBe('f');
        if (name === 'c') [style, value] = [Number(attributes['s'] ?? 0), ''];
      });
      parser.on('text', (part) => {
        value += part;
      });
      parser.on('closetag', ({ name }) => {
        if (name !== 'is') return;
        const read = value.replaceAll(/_x([\dA-F]{4})_/gi, (_, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
        // XML has one kind of line break.
        if (read === text.replace('\r', '\n')) found += 1;
        if (IS_FORMULA.test(read.replace('\n', '\r'))) expect(isQuoted[style]).toBe(true);
      });
      if (/\.(xml|rels)$/.test(path)) parser.write(content.toString()).close();
    }
    expect(found).toBeGreaterThan(60);
  });

  test('is a text in a calendar, and adds no line to it', async () => {
    const override = { reason: text } as CalendarRow['override'];
    const row = {
      schedule_id: 's',
      title: text,
      occurrence_date: '2026-11-23',
      starts_at: '2026-11-23T09:00:00.000Z',
      due_at: null,
      location_id: null,
      status: 'projected',
      override,
    } as CalendarRow;
    const rows = Readable.from([{ row, sequence: 1, location: text }]);
    const lines = (await Array.fromAsync(feed(text, rows, new Date(0)))).join('');
    const calendar = new ICAL.Component(ICAL.parse(lines) as never);
    // Some readers know more ends of lines than iCalendar does.
    const ends = lines
      .split('')
      .filter((sign) => '\n\v\f\u001c\u001d\u001e\u0085\u2028\u2029'.includes(sign));
    expect(ends).toHaveLength(lines.split('\r\n').length - 1);
    const inLines = text.split(/[\r\n\x85\u2028\u2029]/).map((line) => line.replace('\u202E', '').trim());
    const shown = inLines.join(' ');
    const name = calendar.getFirstPropertyValue('x-wr-calname') as string;
    // Its type is not known to ical.js, which reads it as it stands.
    expect(name.replaceAll(/\\([\\;,n])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))).toBe(shown);
    const events = calendar.getAllSubcomponents('vevent');
    expect(events).toHaveLength(1);
    const [event] = events;
    expect(
      event!
        .getAllProperties()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['description', 'dtstamp', 'dtstart', 'location', 'sequence', 'status', 'summary', 'uid']);
    const read = ['summary', 'location', 'description'].map((name) => event!.getFirstPropertyValue(name));
    expect(read).toEqual([shown, shown, inLines.join('\n')]);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import ExcelJs from 'exceljs';
import * as sheetJs from 'xlsx';
import { LANGUAGES } from '../../../shared/base/i18n/languages.ts';
import { reportWorkbook } from '../../../shared/reports/formats/report-workbook.ts';
import { findingsWithActions } from '../fixtures/hard-cases.ts';
import { noContent } from '../fixtures/material.ts';

const made = (language: 'en' | 'de' | 'ar'): Promise<Buffer> =>
  buffer(
    reportWorkbook([findingsWithActions(language)], { at: new Date(0), language, contentOf: noContent }),
  );

const NAMES = ['Inspektion', 'Antworten', 'Feststellungen', 'Korrekturmaßnahmen', 'Bewertung'];

/** The first cells of two rows of the findings. */
const FINDINGS = {
  A1: 'Inspektion',
  D1: 'Feststellung',
  E1: 'Schweregrad',
  D2: 'Walk-in refrigerator 2 does not keep 5 °C',
  E2: 'Kritisch',
};

describe('the workbook of a report', () => {
  it('is opened by exceljs, with a frozen and filtered head', async () => {
    const workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load((await made('de')) as never);
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(NAMES);
    const findings = workbook.getWorksheet('Feststellungen')!;
    for (const [place, text] of Object.entries(FINDINGS)) expect(findings.getCell(place).value).toBe(text);
    expect(findings.autoFilter).toBe('A1:M4');
    expect(findings.views).toMatchObject([{ state: 'frozen', ySplit: 1 }]);
    expect(workbook.getWorksheet('Inspektion')!.getCell('K2').value).toBeInstanceOf(Date);
  });

  it('is opened by SheetJS', async () => {
    const { SheetNames, Sheets } = sheetJs.read(await made('de'));
    expect(SheetNames).toEqual(NAMES);
    const findings = Sheets['Feststellungen']!;
    for (const [place, text] of Object.entries(FINDINGS)) expect(findings[place]).toMatchObject({ v: text });
    expect(findings['!autofilter']).toEqual({ ref: 'A1:M4' });
  });

  it('is opened by openpyxl, with its default style', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openpyxl-'));
    try {
      const path = join(folder, 'report.xlsx');
      writeFileSync(path, await made('de'));
      const program = join(import.meta.dirname, '../../support/processes/read-workbook.py');
      // Debian's Python, because openpyxl is a package of Debian here.
      const read = JSON.parse(execFileSync('/usr/bin/python3', [program, path], { encoding: 'utf8' }));
      expect(Object.keys(read.sheets)).toEqual(NAMES);
      expect(read.styles).toContain('Normal');
      expect(read.warnings).toEqual([]);
      expect(read.sheets['Feststellungen']).toMatchObject({
        cells: FINDINGS,
        filter: 'A1:M4',
        frozen: 'A2',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says yes and no, statuses and results in the language of the report', async () => {
    const { Sheets } = sheetJs.read(await made('de'));
    const cell = (sheet: string, place: string): unknown => Sheets[sheet]![place]?.v;
    expect([cell('Inspektion', 'B1'), cell('Inspektion', 'C2')]).toEqual(['Bezeichnung', 'Abgeschlossen']);
    expect(['Ja', 'Nein']).toContain(cell('Antworten', 'I2'));
    expect(cell('Bewertung', 'B2')).toBe('Gesamt');
  });

  it('has the times that the clocks of the organization show', async () => {
    const payload = findingsWithActions('en');
    const { organization, inspection } = payload;
    const inTokyo = {
      ...payload,
      organization: { ...organization, timezone: 'Asia/Tokyo' },
      inspection: { ...inspection, completed_at: '2026-11-23T20:30:00.000Z' },
    };
    const { Sheets } = sheetJs.read(
      await buffer(reportWorkbook([inTokyo], { at: new Date(0), language: 'en', contentOf: noContent })),
    );
    const [row] = sheetJs.utils.sheet_to_json<Record<string, number>>(Sheets['Inspection']!);
    // Days since the end of 1899, as spreadsheets count them: 05:30 on the next day.
    expect(row!['Completed']).toBeCloseTo(
      (Date.parse('2026-11-24T05:30Z') - Date.UTC(1899, 11, 30)) / 86_400_000,
      6,
    );
  });

  it('runs from right to left in Arabic', async () => {
    const { Workbook } = sheetJs.read(await made('ar'));
    expect(Workbook!.Views).toBeDefined();
    const workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load((await made('ar')) as never);
    expect(workbook.worksheets.map(({ views }) => views[0]!.rightToLeft)).toEqual(
      Array.from({ length: 5 }, () => true),
    );
  });

  it.each(LANGUAGES)(
    'has names of sheets that a spreadsheet takes, and no column twice, in %s',
    async (language) => {
      const bytes = await buffer(
        reportWorkbook([findingsWithActions(language)], { at: new Date(0), language, contentOf: noContent }),
      );
      const { SheetNames, Sheets } = sheetJs.read(bytes);
      for (const name of SheetNames) {
        expect(name).toMatch(/^[^[\]:*?/\\]{1,31}$/);
        const [head] = sheetJs.utils.sheet_to_json<string[]>(Sheets[name]!, { header: 1 });
        expect(head!.length - new Set(head).size).toBe(0);
      }
    },
  );
});

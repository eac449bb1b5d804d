import { exportForm } from '../../shared/domain/xlsform/export.ts';
import { importForm } from '../../shared/domain/xlsform/import/import.ts';
import { odkFaults, rowsOf } from './odk-rules.ts';
import { ASKED, imported, labelled, lost } from './small-forms.ts';

const TITLE = { title: 'Plots', id: 'plots', version: '1' };

const ROW = {
  type: 'integer',
  name: 'a',
  'label::English (en)': 'A',
  'label::French (fr)': 'A',
  constraint: '. > 0 and . < ${number} and . <= 9',
  'constraint_message::English (en)': 'Too far away.',
  'constraint_message::French (fr)': 'Trop loin.',
  required: 'yes',
  'required_message::English (en)': 'How far?',
  'required_message::French (fr)': 'Quelle distance ?',
};

describe('importForm of exportForm: constraints and messages', () => {
  const form = imported([...ASKED, ROW], { settings: { default_language: 'English (en)' } });

  test('keeps the messages in each language', () => {
    expect(lost(form)).toEqual([]);
    expect(labelled(form, 'A')).toMatchObject({
      min: 1,
      max: 9,
      constraint_message: 'Too far away.',
      required_message: 'How far?',
    });
    const { id } = labelled(form, 'A');
    expect(form.content.translations[0]!.texts.find((text) => text.id === id)).toMatchObject({
      constraint_message: 'Trop loin.',
      required_message: 'Quelle distance ?',
    });
  });

  test('writes them in the columns of ODK alone, and reads the same content again', () => {
    const sheets = exportForm(form.content, TITLE);
    expect(odkFaults(sheets)).toEqual([]);
    expect(rowsOf(sheets, 'survey').find(({ name }) => name === 'a')).toEqual({
      ...ROW,
      constraint: '. >= 1 and . <= 9 and . < ${number}',
      inspection__id: labelled(form, 'A').id,
    });
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(form.content);
  });

  test('writes a date of a constraint as ODK reads dates', () => {
    const dated = imported([{ type: 'date', name: 'a', label: 'A', constraint: ". > date('2026-01-01')" }]);
    const sheets = exportForm(dated.content, TITLE);
    expect(rowsOf(sheets, 'survey')[1]).toMatchObject({ constraint: ". > date('2026-01-01')" });
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(dated.content);
  });

  test('takes an edited constraint and message', () => {
    const sheets = exportForm(form.content, TITLE).map((sheet) => ({
      ...sheet,
      rows: sheet.rows.map(({ number, cells }) => ({
        number,
        cells: new Map(
          [...cells].map(([at, text]) => [at, text.replace('${number}', '7').replace('Too', 'Far')]),
        ),
      })),
    }));
    expect(labelled(importForm(sheets, [], { name: 'any' }), 'A')).toMatchObject({
      min: 1,
      max: 6,
      constraint_message: 'Far far away.',
    });
  });
});

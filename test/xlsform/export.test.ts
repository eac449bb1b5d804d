import fc from 'fast-check';
import type { Content } from '../../shared/schemas/content.ts';
import { exportForm } from '../../shared/xlsform/export.ts';
import { importForm } from '../../shared/xlsform/import.ts';
import { isFormSheet } from '../../shared/xlsform/table.ts';
import { readWorkbook, writeWorkbook } from '../../shared/xlsform/workbook.ts';
import { anyContent } from './contents.ts';

const TITLE = { title: 'Guard rails', id: 'guard_rails', version: '3' };

const reimported = async (content: Content) => {
  const bytes = await writeWorkbook(exportForm(content, TITLE));
  const { sheets, others } = await readWorkbook(bytes, isFormSheet);
  return importForm(sheets, others, { name: 'any' });
};

describe('importForm of exportForm', () => {
  test('gives the same content, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(anyContent, async (content) => {
        const { content: again, title } = await reimported(content);
        expect(again).toEqual(content);
        expect(title).toBe('Guard rails');
      }),
      { numRuns: 150 },
    );
  });
});

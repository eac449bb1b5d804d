import { publishProblems } from '../../shared/domain/content/publish/publish.ts';
import { exportForm } from '../../shared/domain/xlsform/export.ts';
import { importForm } from '../../shared/domain/xlsform/import/import.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { odkFaults, rowsOf } from './odk-rules.ts';
import { fieldsOf, imported, lost, spoken } from './small-forms.ts';

const TITLE = { title: 'Trees', id: 'trees', version: '1' };

const form = imported(
  [
    { type: 'text', name: 'who', 'label::en': 'Who', 'label::fr': 'Qui' },
    { type: 'today', name: 'today' },
    { type: 'begin repeat', name: 'trees', 'label::en': 'Tree ${tag} of ${who}' },
    { type: 'text', name: 'tag', 'label::en': 'Tag' },
    {
      type: 'integer',
      name: 'stems',
      'label::en': 'Stems of ${tag} on ${today}',
      'label::fr': 'Troncs de ${ tag }',
      'hint::en': 'Ask ${who}',
      constraint: '. > 0',
      'constraint_message::en': '${tag} has stems',
    },
    { type: 'end repeat' },
    { type: 'note', name: 'end', 'label::en': 'Thank you, ${who}, for ${tag} and ${device}' },
    { type: 'deviceid', name: 'device' },
  ],
  { settings: { default_language: 'en' } },
);

const field = (beginning: string) => fieldsOf(form.content).find(({ label }) => label.startsWith(beginning))!;

describe('importForm: references in texts', () => {
  test('refers to answers by ids, in each text and language', () => {
    expect(spoken(form.content, field('Stems'))).toMatchObject({
      label: 'Stems of ${Tag} on ${today}',
      help_text: 'Ask ${Who}',
      constraint_message: '${Tag} has stems',
    });
    expect(
      spoken(
        form.content,
        form.content.sections.map(({ title }) => title),
      ),
    ).toContain('Tree ${Tag} of ${Who}');
    const texts = spoken(form.content, form.content.translations[0]!.texts) as { label: string | null }[];
    expect(texts.map(({ label }) => label)).toContain('Troncs de ${Tag}');
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('keeps a reference that has no single answer as it is written, with a remark', () => {
    expect(spoken(form.content, field('Thank you').label)).toBe(
      'Thank you, ${Who}, for ${tag} and ${device}',
    );
    expect(lost(form).filter((message) => message.startsWith('label'))).toEqual([
      expect.stringMatching(
        /"tag" has an answer for each repetition; it uses "device", which was not imported/,
      ),
    ]);
  });
});

describe('exportForm: references in texts', () => {
  const sheets = exportForm(form.content, TITLE);

  test('writes the names of rows, and reads the same content again', () => {
    expect(odkFaults(sheets)).toEqual([]);
    expect(rowsOf(sheets, 'survey').find(({ name }) => name === 'stems')).toMatchObject({
      'label::en': 'Stems of ${tag} on ${today}',
      'label::fr': 'Troncs de ${tag}',
      'hint::en': 'Ask ${who}',
      'constraint_message::en': '${tag} has stems',
    });
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(form.content);
  });

  test('writes the new name of a row that had to be renamed', () => {
    const [section] = form.content.sections;
    const fields = [...section!.fields, { ...section!.fields[0]!, id: field('Tag').id.replace(/^./, 'f') }];
    const content = Content.parse({
      ...form.content,
      sections: [{ ...section!, fields }, ...form.content.sections.slice(1)],
    });
    const again = exportForm(content, TITLE);
    expect(odkFaults(again)).toEqual([]);
    expect(rowsOf(again, 'survey').find(({ name }) => name === 'stems')!['hint::en']).toBe('Ask ${who_2}');
    expect(importForm(again, [], { name: 'any' }).content).toEqual(content);
  });
});

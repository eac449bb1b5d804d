import * as z from 'zod';
import { drawSignature } from '../../../infra/demo/photos.ts';
import { isBlank, isText } from '../../../shared/base/text.ts';
import { isMultipart } from '../../../shared/http/operation/operation.ts';
import { locs } from '../../support/call.ts';
import { operationEntries } from '../../support/catalogue.ts';
import { newPerson, type Person } from '../../support/people.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Writer');
});

const NO_TEXT = [
  '\u0000',
  '\u0007',
  '\u000B',
  '\u001F',
  '\uFDD0',
  '\uFDEF',
  '\uFFFE',
  '\uFFFF',
  '\u{1FFFE}',
  '\u{10FFFF}',
];

describe.each(NO_TEXT.map((character) => [JSON.stringify(character), character]))(
  '%s is no text',
  (_, bad) => {
    test('422 in a body, at any depth', async () => {
      const answer = await person.try.clientAccounts.create({
        body: { name: 'x', contact: { name: `a${bad}b` } },
      });
      expect([answer.status, locs(answer)]).toEqual([422, ['body.contact.name']]);
    });

    test('422 in a query', async () => {
      const answer = await person.try.inspections.list({ query: { q: `a${bad}` } });
      expect([answer.status, locs(answer)]).toEqual([422, ['query.q']]);
    });

    test('422 in a path', async () => {
      const answer = await person.try.families.get({ params: { family_id: `a${bad}` } });
      expect([answer.status, locs(answer)]).toEqual([422, ['path.family_id']]);
    });

    test('422 in a field of a form', async () => {
      const form = new FormData();
      form.set('title', `a${bad}`);
      form.set('file', new File([new Uint8Array(await drawSignature(1))], 'a.png'));
      const answer = await person.try.documents.create({ form });
      expect([answer.status, locs(answer)]).toEqual([422, ['body.title']]);
    });
  },
);

test('422 for the name of a file that is no text', async () => {
  const form = new FormData();
  form.set('title', 'Photo');
  form.set('file', new File([new Uint8Array(await drawSignature(1))], 'a\uFFFF.png'));
  const answer = await person.try.documents.create({ form });
  expect([answer.status, locs(answer)]).toEqual([422, ['body.file']]);
});

test('201 for the name of a file that is too long, cut between two characters', async () => {
  const form = new FormData();
  form.set('title', 'Photo');
  form.set('file', new File([new Uint8Array(await drawSignature(1))], `${'a'.repeat(254)}💥.png`));
  const { file_name } = await person.documents.create({ form });
  expect(file_name).toBe('a'.repeat(254));
});

test('201 for tabs, ends of lines, joined characters and private ones', async () => {
  const notes = 'a\tb\r\nc 👩‍👩‍👧 \u200E\u200F\uE000 \u0085';
  expect(await person.clientAccounts.create({ body: { name: 'Notes', notes } })).toMatchObject({
    notes,
  });
});

describe('a name that shows nothing', () => {
  const NOTHING = [
    ' ',
    '\u200B',
    '\u200D\u200C',
    '\u2060\uFEFF',
    '\u202E\u2066',
    '\u3164',
    '\u00AD',
    '\u2800',
  ];

  test.each(NOTHING.map((name) => [JSON.stringify(name), name]))('422 for %s', async (_, name) => {
    const { status, body } = await person.try.clientAccounts.create({ body: { name } });
    expect({ status, body }).toEqual({
      status: 422,
      body: { detail: [expect.objectContaining({ loc: ['body', 'name'], type: 'string_too_short' })] },
    });
  });

  test('422 in each operation whose body has a required name or title', async () => {
    const required = operationEntries().flatMap(({ operation }) => {
      const body = isMultipart(operation.body) ? operation.body.fields : operation.body;
      if (!(body instanceof z.ZodObject)) return [];
      return ['name', 'title', 'label', 'reason', 'comment'].flatMap((name) =>
        name in body.shape && !body.shape[name]!.safeParse(undefined).success
          ? [[`${operation.id} ${name}`, body.shape[name]!.safeParse('\u200B\u2060').success]]
          : [],
      );
    });
    expect(required.length).toBeGreaterThan(5);
    expect(required.filter(([, isAccepted]) => isAccepted)).toEqual([]);
  });

  test('201 for a name with joiners in it', async () => {
    const name = 'क्\u200Dष 👩‍🚒';
    expect(await person.clientAccounts.create({ body: { name } })).toMatchObject({ name });
  });
});

test('the title of an imported form that shows nothing gives way to another name', async () => {
  const body = {
    survey: [{ type: 'text', name: 'a', label: 'A' }],
    settings: { form_title: '\u200B\u2060' },
  };

  const { status, body: reply } = await person.try.versions.importXlsform({ body });
  expect([status, isBlank(JSON.stringify(reply.template?.name ?? reply.family?.name ?? 'x'))]).toEqual([
    201,
    false,
  ]);
});

test('every character that is text is no noncharacter and no control', () => {
  for (let plane = 0; plane <= 16; plane += 1) {
    expect(isText(String.fromCodePoint(plane * 0x10000 + 0xfffd))).toBe(true);
    expect(isText(String.fromCodePoint(plane * 0x10000 + 0xfffe))).toBe(false);
  }
});

import * as answerAddress from '../../functions/public/answer-address.ts';
import * as askAddress from '../../functions/public/ask-address.ts';
import * as askToStopMails from '../../functions/public/ask-to-stop-mails.ts';
import * as stopMails from '../../functions/public/stop-mails.ts';
import * as addresses from '../../shared/organizations/addresses/addresses.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';
import { newQuestion, newStopLink } from './fixtures.ts';

const NAME = 'Harbour <b>& Sons';

let person: Person;
beforeAll(async () => {
  person = await newPerson(NAME);
});

const stateOf = async (address: string): Promise<addresses.AddressState> =>
  (await addresses.standingOf(person.caller, address)).state;

describe('GET /confirm/{token}', () => {
  test('200 with two buttons, and whoever only looks at it changes nothing', async () => {
    const { token, address } = await newQuestion(person);
    for (const accept of ['text/html', '*/*']) {
      const { status, text } = await visit(askAddress, { token, headers: { Accept: accept } });
      expect(status).toBe(200);
      expect(text).toContain(`<bdi>${address}</bdi>`);
      expect(text.match(/<button [^>]*>/g)).toEqual([
        '<button name="answer" value="yes">',
        '<button name="answer" value="no" class="second">',
      ]);
    }
    expect(await stateOf(address)).toBe('asked');
  });

  test('200 in the reader’s language, from right to left where it is, with names escaped', async () => {
    const { token } = await newQuestion(person);
    const { text, headers } = await visit(askAddress, {
      token,
      headers: { 'Accept-Language': 'he, en;q=0.5' },
    });
    expect(text).toContain('<html lang="he" dir="rtl">');
    expect(headers['content-language']).toBe('he');
    expect(text).toContain('Harbour &lt;b&gt;&amp; Sons');
    expect(text).not.toContain('<b>');
  });
});

describe('POST /confirm/{token}', () => {
  test('200 for both answers; the last one counts, and the same one again changes nothing', async () => {
    const { token, address } = await newQuestion(person);
    for (const [answer, state] of [
      ['yes', 'confirmed'],
      ['yes', 'confirmed'],
      ['no', 'refused'],
      ['yes', 'confirmed'],
    ] as const) {
      expect((await visit(answerAddress, { token, form: { answer } })).status).toBe(200);
      expect(await stateOf(address)).toBe(state);
    }
  });

  test('422 for another answer or field, on a page that says what to do', async () => {
    const { token, address } = await newQuestion(person);
    for (const form of [{ answer: 'maybe' }, {}, { answer: 'yes', all: '1' }] as Record<string, string>[]) {
      const { status, text } = await visit(answerAddress, { token, form });
      expect(status).toBe(422);
      expect(text).toContain('load it again');
    }
    expect(await stateOf(address)).toBe('asked');
  });
});

describe('GET /stop/{token}', () => {
  test('200 with one button, and whoever only looks at it changes nothing', async () => {
    const { token, address } = await newStopLink(person);
    const { text } = await visit(askToStopMails, { token });
    expect(text.match(/<button [^>]*>/g)).toEqual(['<button name="List-Unsubscribe" value="One-Click">']);
    expect(await stateOf(address)).toBe('unknown');
  });
});

describe('POST /stop/{token}', () => {
  test('200 for what a mail program sends by itself (RFC 8058), and for whoever repeats it', async () => {
    const { token, address } = await newStopLink(person);
    const form = { 'List-Unsubscribe': 'One-Click' };
    for (const headers of [{ Accept: '*/*' }, { Accept: 'text/html' }]) {
      expect((await visit(stopMails, { token, form, headers })).status).toBe(200);
      expect(await stateOf(address)).toBe('refused');
    }
  });

  test('200 also stops the mails to an address that had confirmed', async () => {
    const { token, address } = await newStopLink(person);
    await addresses.answer(person.caller, address, 'confirmed');
    await visit(stopMails, { token, form: {} });
    expect(await stateOf(address)).toBe('refused');
  });
});

import { answer, standingOf, suppress } from '../../shared/organizations/addresses/addresses.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
  for (const name of ['a', 'b', 'c']) await suppress(person.caller, `${name}@client.example`, 'bounced');
  await answer(person.caller, 'stopped@client.example', 'refused');
});

describe('GET /mail-suppressions', () => {
  test('200 lists each suppressed address once, page by page, and no address that has stopped the mails itself', async () => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { body, headers } = await person.try.reports.listMailSuppressions({
        query: { limit: 2, cursor },
      });
      found.push(...body.map(({ address }: { address: string }) => address));
      cursor = /cursor=([^&>]+)/.exec(headers['link'] ?? '')?.[1] ?? '';
    } while (cursor);
    expect(found.toSorted()).toEqual(['a', 'b', 'c'].map((name) => `${name}@client.example`));
  });
});

describe('DELETE /mail-suppressions/{address}', () => {
  test('204, and the address is as it was before', async () => {
    await answer(person.caller, 'a@client.example', 'confirmed');
    const params = { address: 'A@Client.Example' };
    expect((await person.try.reports.deleteMailSuppression({ params })).status).toBe(204);
    expect(await standingOf(person.caller, 'a@client.example')).toMatchObject({ state: 'confirmed' });
  });

  test('404 for an address that is not suppressed, or by another organization only', async () => {
    const stranger = await newPerson('Stranger');
    const remove = (who: Person, address: string) =>
      who.try.reports.deleteMailSuppression({ params: { address } });
    expect((await remove(stranger, 'a@client.example')).status).toBe(404);
    expect((await remove(person, 'stopped@client.example')).status).toBe(404);
    expect((await remove(person, 'nobody')).status).toBe(404);
  });
});

import { newAsset } from '../assets/scenarios.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson } from '../support/people.ts';
import { newCategory, newLink } from './fixtures.ts';

describe('GET /issue-categories/{category_id}/public-link-sheet', () => {
  test('200 with the labels of assets, page by page; 422 with the token of another link', async () => {
    const person = await newPerson('Labels');
    const category = await newCategory(person);
    const links = [];
    for (let lift = 1; lift <= 13; lift += 1) {
      const { id: asset_id } = await newAsset(person, { name: `Lift ${lift}` });
      links.push(await newLink(person, { asset_id }, category));
    }
    const sheet = (link: string[]) =>
      person.try.issues.getPublicLinkSheet({ params: { category_id: category.id }, query: { link } });
    const { status, bytes } = await sheet(links.map(({ id, token }) => `${id}:${token}`));
    expect(status).toBe(200);
    const { pages } = await readPdf(bytes);
    expect(pages.map((page) => page.match(/Lift \d+/g)!.length)).toEqual([12, 1]);
    const wrong = [`${links[0]!.id}:${links[1]!.token}`, `${links[0]!.id}:${'A'.repeat(22)}`];
    for (const link of wrong) expect((await sheet([link])).status).toBe(422);
  });
});

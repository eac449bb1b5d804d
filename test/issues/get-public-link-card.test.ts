import { type IssueLink, linkRow, newIssueLink } from '../public/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';

describe('GET /issue-categories/{category_id}/public-links/{public_link_id}/card', () => {
  const card = (person: Person, link: IssueLink, query: Record<string, string>) =>
    person.try.issues.getPublicLinkCard({
      params: { category_id: link.category.id, public_link_id: link.link.id },
      query,
    });

  test('200 with a PDF for who has the token; 422 with that of another link', async () => {
    const person = await newPerson('Cards');
    const [link, other] = [
      await newIssueLink(person, { link: { label: 'Kitchen' } }),
      await newIssueLink(person),
    ];
    const stranger = await newPerson('Stranger');
    const foreign = await newIssueLink(stranger);
    const { status, bytes } = await card(person, link, { token: link.token, language: 'ar' });
    expect([status, bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
    for (const token of [other.token, foreign.token, 'A'.repeat(22), 'short'])
      expect((await card(person, link, { token })).status).toBe(422);
    expect((await linkRow(person, link)).token_start).toBe(link.token.slice(0, 6));
  });
});

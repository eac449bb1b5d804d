import { as } from '../../support/call.ts';
import { newPerson } from '../../support/people.ts';
import { draftedFamily, publish } from '../fixtures.ts';

describe('GET /templates/families/{family_id}', () => {
  test('200 with the family as it is now', async () => {
    const { key } = await newPerson('Ana');
    const family = await draftedFamily(key);
    const get = () => as(key).try.families.get({ params: { family_id: family.id } });
    expect((await get()).body).toEqual(family);
    await publish(key, family.draft_version_id!);
    expect((await get()).body).toMatchObject({
      status: 'published',
      current_version_id: family.draft_version_id,
      draft_version_id: null,
    });
  });
});

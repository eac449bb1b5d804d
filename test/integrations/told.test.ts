import { expectFollowed } from '../events/copy.ts';
import { newPerson } from '../support/people.ts';
import { newSource, sync } from './fixtures.ts';
import { useMemoryVendor } from './memory-vendor.ts';

const ROWS = {
  a: { name: 'Harbour', kind: 'Site', where: 'Quay 1' },
  b: { name: 'Mill', kind: 'Site', where: 'Brook 2' },
};

test.each([
  ['locations', { name: 'name', kind: 'kind', address: 'where' }],
  ['client_accounts', { name: 'name' }],
])(
  'events tell of all %s that a source creates, changes, deactivates and leaves',
  async (target_ref, mappings) => {
    const vendor = useMemoryVendor();
    vendor.put('b', {});
    const person = await newPerson('Told');
    const source = await newSource(person, { target_ref, mappings });
    const turns: [
      rows: Parameters<typeof vendor.put>[1],
      does: Partial<Record<'created' | 'updated' | 'deactivated', number>>,
    ][] = [
      [ROWS, { created: 2 }],
      [{ ...ROWS, b: { ...ROWS.b, name: 'Old mill' } }, { updated: 1 }],
      [{ b: { ...ROWS.b, name: 'Old mill' } }, { deactivated: 1 }],
      [{ ...ROWS, b: { ...ROWS.b, name: 'Old mill' } }, {}],
    ];
    for (const [rows, counts] of turns) {
      vendor.boards.clear();
      vendor.put('b', rows);
      await expectFollowed(person, async () =>
        expect(await sync(person, source)).toMatchObject({ status: 'succeeded', counts }),
      );
    }
    const params = { source_id: source.id };
    await expectFollowed(person, () => person.integrations.deleteSource({ params }));
  },
);

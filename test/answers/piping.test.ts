import { startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson } from '../support/people.ts';
import { findingsOf, save, saved } from './fixtures.ts';

const ROOM = `\${${uuid(2)}}`;

const CONTENT = contentWith(
  field(2, 'text'),
  field(3, 'pass_fail_na', { label: `Is ${ROOM} clean?`, finding: { create: 'auto' } }),
  field(4, 'number', { max: 3, constraint_message: `${ROOM} has at most 3 doors.` }),
  field(5, 'number', { constraint: `{${uuid(5)}} > 1`, constraint_message: `${ROOM} has 2 windows.` }),
);

describe('PUT /inspections/{inspection_id}/responses', () => {
  test('200 and the finding, 422 and its message name the answer to which their text refers', async () => {
    const ana = await newPerson('Ana');
    const inspection = await startedInspection(ana, { family: { content: CONTENT } });
    const messageFor = async (n: number, value: number) => {
      const { body } = await save(ana, inspection, { field_id: uuid(n), value });
      return (body as unknown as { detail: { msg: string }[] }).detail[0]!.msg;
    };
    expect(await messageFor(4, 4)).toBe('… has at most 3 doors.');
    await saved(ana, inspection, { field_id: uuid(2), value: 'Kitchen' });
    await saved(ana, inspection, { field_id: uuid(3), value: 'fail' });
    expect(await findingsOf(ana, inspection)).toMatchObject([{ label: 'Is Kitchen clean?' }]);
    expect(await messageFor(4, 4)).toBe('Kitchen has at most 3 doors.');
    expect(await messageFor(5, 1)).toBe('Kitchen has 2 windows.');
  });
});

import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { handler as streamWorker } from '../../functions/workers/hand-on-outbox.ts';
import { handler as renderReport } from '../../functions/workers/render-report.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { isBlank, isText } from '../../shared/base/text.ts';
import { shortName } from '../../shared/domain/notifications/text.ts';
import type { OutboxRow, OutboxTask } from '../../shared/table/entities/machinery.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { installFaults, on, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { newMember } from '../support/notices.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';

installFaults();

const SEED = 7;

/** Characters that some queue, format, store or mail engine treats in a way of its own. */
const SPECIAL = [
  '\uFFFE',
  '\uFFFF',
  '\uFDD0',
  '\u{1FFFE}',
  '\u0000',
  '\u001B',
  '\uD800',
  '\uDC00',
  '\u007F',
  '\u0085',
  '\u2028',
  '\u202E',
  '\u200D',
  '\uFEFF',
  '\uE000',
  '\uFFFD',
  '\u{10FFFD}',
  '=?UTF-8?Q?x?=',
  '"<a@b.c>,',
  '\\',
  '&#0;',
  ']]>',
  '<b>',
  '=1+1',
  '{inspection}',
  '💥',
  'e\u0301',
];

const anyText = fc
  .array(fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join('').slice(0, 150));

/** What the contract's `Name` takes: text that shows something, without controls. */
const isName = (text: string): boolean =>
  isText(text) && !isBlank(text) && !/[\t\n\r\u007f]/u.test(text.trim());

/** Hands rows on as the stream does. @returns the bodies of the messages that the queues have accepted */
const handedOn = async (rows: readonly OutboxRow[]): Promise<OutboxTask[]> => {
  const bodies: string[] = [];
  const heard = on(
    ({ client }) => client === 'SQSClient',
    ({ input, send }) => {
      bodies.push(...(input['Entries'] as { MessageBody: string }[]).map(({ MessageBody }) => MessageBody));
      return send();
    },
  );
  const Records = rows.map((row) => ({ dynamodb: { NewImage: marshall(row) } }));
  await withFault(heard, () => streamWorker({ Records } as never));
  return bodies.map((body) => JSON.parse(body) as OutboxTask);
};

let person: Person;
let family: { id: string; current_version_id: string };

beforeAll(async () => {
  person = await newPerson('Writer');
  const { id: family_id } = await publishedFamily(person.key);
  family = await person.families.get({ params: { family_id } });
});

test('any name that is accepted goes through outbox, queue, notification, mail, event, report and export', async () => {
  const ana = await newMember(person, 'Ana');
  const colleague = await newColleague(person, 'Ben');
  const participants = [ana, colleague.user_id].map((user_id) => ({ user_id, role: 'inspector' }));
  const names: string[] = [];
  const refused: string[] = [];
  for (const name of fc.sample(anyText, { seed: SEED, numRuns: runs(40) })) {
    const body = { template_family_id: family.id, name, participants };
    const { status, body: inspection } = await person.try.inspections.create({ body });
    expect([name, status]).toEqual([name, isName(name) ? 201 : 422]);
    if (status === 422) {
      refused.push(name);
      continue;
    }
    expect(inspection.name).toBe(name.trim());
    names.push(inspection.name);
    const params = { inspection_id: inspection.id };
    await person.reports.create({ params, body: {} });
    const payload = await person.reports.getPayload({ params });
    expect(JSON.stringify(payload)).toContain(JSON.stringify(inspection.name));

    const messages = await handedOn(await outboxOf(person.caller));
    expect(await outboxOf(person.caller)).toEqual([]);
    const { items } = await as(colleague).notifications.listMy();
    const { title } = items[0] as { title: string };
    const mail = messages.find(({ outbox }) => outbox === 'mail')!;
    expect(mail.data).toMatchObject({ item: { inspection: { name: inspection.name } } });
    for (const message of messages) {
      const worker = message.outbox === 'mail' ? sendMail : renderReport;
      expect([name, message.outbox, await deliver(worker, message)]).toEqual([name, message.outbox, true]);
    }
    for (const digest of await handedOn(await outboxOf(person.caller))) await deliver(sendMail, digest);
    const received = (await mailsTo(`ana@${person.caller.org_id}.example`)).at(-1);
    expect(title).toContain(shortName(inspection.name));
    expect(received?.body.text).toContain(shortName(inspection.name));

    await person.families.update({ params: { family_id: family.id }, body: { name } });
    const exported = await person.try.versions.exportXlsform({
      params: { template_id: family.current_version_id },
    });
    expect(exported.status).toBe(200);
  }
  expect([names.length > 5, refused.length > 5]).toEqual([true, true]);
  const events: { sequence: number; type: string }[] = await person.events.list();
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, position) => position + 1));
  const countOf = (wanted: string) => events.filter(({ type }) => type === wanted).length;
  expect(countOf('inspection.created')).toBe(names.length);
});

import { commands } from '../../../infra/operator/commands.ts';
import { change } from '../../../shared/db/table/change.ts';
import { keys } from '../../../shared/db/table/keys.ts';
import { deadLetter } from '../../../shared/db/table/outbox/dead-letters.ts';
import { dueAt } from '../../../shared/db/table/outbox/due.ts';
import * as write from '../../../shared/db/table/writes.ts';
import { systemWrite } from '../../../shared/db/table/writes.ts';
import { outboxOf } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';

const run = () => commands.doctor.run({});

let person: Person;
beforeAll(async () => {
  person = await newPerson('Patient');
});

describe('operator doctor', () => {
  test('finds nothing where all is well, also while somebody works', async () => {
    await person.clientAccounts.create({ body: { name: 'Acme' } });
    expect(await run()).toEqual({ ok: true, findings: [] });
  });

  test('finds a worker that has not taken what is due', async () => {
    const [row] = await outboxOf(person.caller);
    const since = new Date(Date.now() - 16 * 60_000).toISOString();
    const late = write.update(keys.outbox(person.caller, row!.id), { set: dueAt('OUTBOX', row!.id, since) });
    await change(person.caller, () => ({ writes: [late], reply: null }));
    expect((await run()).findings).toEqual([
      {
        what: 'a worker is late',
        detail: `sweep-outbox: OUTBOX is due since ${since} (16 min)`,
        command: 'LOG_LEVEL=info npm start',
      },
    ]);
  });

  test('finds work that has failed at every attempt, by its reason', async () => {
    const [row] = await outboxOf(person.caller);
    const { id, outbox: what } = row!;
    const letter = { id, what, reason: 'it is too long', attempts: 6, work: { ...row! } };
    await change(person.caller, (work) => ({
      writes: [write.drop(keys.outbox(work, id)), deadLetter(work, letter)],
      reply: null,
    }));
    expect(await run()).toEqual({
      ok: false,
      findings: [
        {
          what: 'dead letters',
          detail: `1 of ${what}: it is too long`,
          command: `npm run -s operator -- dead-letters redrive --what ${what}`,
        },
      ],
    });
  });

  test('finds a migration that was interrupted', async () => {
    const open = { forms: '[]', next: undefined, read: {}, outdated: 0 };
    const row = write.put({ ...keys.migration('ALL'), ...open });
    await change(person.caller, () => ({ writes: [systemWrite(row)], reply: null }));
    expect((await run()).findings).toContainEqual({
      what: 'rows',
      detail: 'a migration was interrupted',
      command: 'npm run -s operator -- migrate',
    });
  });
});

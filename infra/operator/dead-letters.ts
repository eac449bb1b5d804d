import * as z from 'zod';
import type { Caller } from '../../shared/base/caller.ts';
import { QUEUES } from '../../shared/base/queues.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import type { DeadLetter } from '../../shared/table/entities/machinery.ts';
import * as deadLetters from '../../shared/table/outbox/dead-letters.ts';
import { command } from './command.ts';

/** The platform team as a caller in an organization that has dead letters. */
const operatorIn = (org_id: string): Caller => ({ org_id, user_id: 'operator', name: 'operator' });

const MINUTE_MS = 60_000;

/** A time that has passed, in days, hours and minutes: `2 d 3 h 4 min`. */
export const ageOf = (since: string): string => {
  const minutes = Math.floor((Date.now() - Date.parse(since)) / MINUTE_MS);
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24];
  return [
    ...(days > 0 ? [`${days} d`] : []),
    ...(minutes >= 60 ? [`${hours} h`] : []),
    `${minutes % 60} min`,
  ].join(' ');
};

const shown = ({ id, org_id, what, reason, attempts, failed_at }: DeadLetter) => ({
  id,
  org_id,
  what,
  reason,
  attempts,
  failed_at,
  age: ageOf(failed_at),
});

const filters = {
  org: Uuid.optional(),
  what: z.enum(['event', 'deadline', ...QUEUES]).optional(),
};

/** Dead letters, those of an organization in the order of their ids, in which the work was given. */
const found = async ({ org, what }: { org?: string | undefined; what?: string | undefined }) => {
  const letters = await Array.fromAsync(deadLetters.list(org === undefined ? undefined : operatorIn(org)));
  return letters
    .filter((letter) => what === undefined || letter.what === what)
    .toSorted((a, b) => (`${a.org_id} ${a.id}` < `${b.org_id} ${b.id}` ? -1 : 1));
};

/** The commands for work that has failed at every attempt. */
export const deadLetterCommands = {
  'dead-letters list': command({
    summary: 'list the work that has failed at every attempt, and why',
    options: z.strictObject(filters),
    run: async (options) => (await found(options)).map(shown),
  }),
  'dead-letters redrive': command({
    summary: 'do it again: one of an organization (--id), all that --org or --what select, or --all',
    options: z
      .strictObject({ ...filters, id: Uuid.optional(), all: z.boolean().default(false) })
      .refine(({ id, org }) => id === undefined || org !== undefined, {
        path: ['org'],
        error: 'an id needs its organization',
      })
      .refine(({ all, ...selection }) => all || Object.values(selection).some((each) => each !== undefined), {
        path: ['all'],
        error: 'say which: --all, or --org, --what or --id',
      }),
    run: async ({ id, org, what }) => {
      // The check of the options has made sure that an id comes with its organization.
      if (id !== undefined) return [await deadLetters.redrive(operatorIn(org!), id)];
      const redriven = [];
      for (const letter of await found({ org, what })) {
        redriven.push(await deadLetters.redrive(operatorIn(letter.org_id), letter.id));
      }
      return redriven;
    },
  }),
  'dead-letters drop': command({
    summary: 'delete one; its work is never done, and this cannot be undone',
    options: z.strictObject({ org: Uuid, id: Uuid }),
    run: async ({ org, id }) => ({ ...shown(await deadLetters.drop(operatorIn(org), id)), state: 'dropped' }),
  }),
};

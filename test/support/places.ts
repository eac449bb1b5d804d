import { type Key, kindOf } from '../../shared/table/keys.ts';
import type { Sending } from './commands.ts';
import { between, type Fault, killAfter, overtake, withFault } from './faults.ts';
import { scaled } from './scale.ts';

/*
 * Where something can come between the commands of a piece of work. A full run tries every place. A small one tries the
 * first and the last, one before each kind of command that changes something, and some that lie between, after it has seen
 * the work undisturbed. What comes between two reads comes before the next change as well.
 */

/** Places of a small run that lie evenly over the work. */
const SPREAD = 2;

interface WriteItem {
  Put?: { Item: Key };
  Update?: { Key: Key };
  Delete?: { Key: Key };
  ConditionCheck?: { Key: Key };
}

/** Commands that only read. */
const READS = /^(Get|BatchGet|TransactGet|Query|Scan|Head|List)/;

/** A command by its name and the kinds of its rows; all that only read are of one kind. */
const kindOfCommand = ({ command, input }: Sending): string => {
  if (READS.test(command)) return 'read';
  const rows = ((input['TransactItems'] ?? []) as WriteItem[]).map(
    ({ Put, Update, Delete, ConditionCheck }) => (Put ? Put.Item : (Update ?? Delete ?? ConditionCheck)!.Key),
  );
  return [command, ...new Set(rows.map((row) => String(kindOf(row))).toSorted())].join(' ');
};

/** The places of a small run, in a work of these kinds of commands. */
const someOf = (kinds: readonly string[]): number[] => {
  const spread = Array.from({ length: SPREAD + 1 }, (_, n) => Math.round((n * (kinds.length - 1)) / SPREAD));
  const firsts = [...new Set(kinds)].map((kind) => kinds.indexOf(kind));
  return [...new Set([...spread, ...firsts])].filter((place) => place >= 0).toSorted((a, b) => a - b);
};

/** Notes the kinds of commands before they go through a fault. */
const noting =
  (kinds: string[], fault: Fault): Fault =>
  (sending) => {
    kinds.push(kindOfCommand(sending));
    return fault(sending);
  };

/** A kill at one place of a piece of work, or behind its end. */
export interface Kill {
  /** How many commands are let through. */
  place: number;
  fault: Fault;
  isReached: () => boolean;
}

/**
 * Runs a piece of work again and again, each time killed at another place, before the command there and after it by turns,
 * and once without a kill.
 * @param attempt lets all commands of the work through the fault of the kill, and checks what has become of it
 * @param isFirstDone whether the first kill comes after its command
 * @param every how many places a full run goes on from one kill to the next
 * @returns how many commands the work has, as far as is known
 */
export const killedAtPlaces = async (
  attempt: (kill: Kill) => Promise<void>,
  { isFirstDone = true, every = 1 } = {},
): Promise<number> => {
  const at = async (place: number, nth: number, kinds: string[] = []): Promise<boolean> => {
    const { fault, isReached } = killAfter(place, (nth % 2 === 0) === isFirstDone);
    await attempt({ place, fault: noting(kinds, fault), isReached });
    return isReached();
  };
  const inFull = async (): Promise<number> => {
    let kills = 0;
    while (await at(kills * every, kills)) kills += 1;
    return kills * every;
  };
  const inPart = async (): Promise<number> => {
    const kinds: string[] = [];
    await at(Number.POSITIVE_INFINITY, 0, kinds);
    for (const [nth, place] of someOf(kinds).entries()) await at(place, nth);
    return kinds.length;
  };
  return scaled(inPart, inFull)();
};

/**
 * As `between` does, but in a small run only before some of the commands.
 * @returns the number of places in which somebody can act while the work is under way
 */
export const betweenSome: typeof between = async (overtaken) => {
  const inPart: typeof between = async ({ work, ...rest }) => {
    const kinds: string[] = [];
    const note = noting(kinds, ({ send }) => send());
    await overtake({ ...rest, work: (one) => withFault(note, () => work(one)) }, Number.POSITIVE_INFINITY);
    for (const place of someOf(kinds)) await overtake({ ...rest, work }, place);
    return kinds.length;
  };
  return scaled(inPart, between)(overtaken);
};

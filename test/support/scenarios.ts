import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import type { Answer, Request } from './call.ts';
import type { Person } from './people.ts';

/** Makes a request that must succeed, and first creates what its operation reads or changes. */
export type Scenario = (person: Person) => Promise<Omit<Request, 'as'>> | Omit<Request, 'as'>;

/**
 * Valid requests of an area's operations by their ids. What the requests of an operation use together is recorded: an
 * operation may do nothing else. `test/<area>/scenarios.ts` exports them as `scenarios`, and `failures` if there are
 * any.
 */
export type Scenarios = Record<string, readonly [Scenario, ...Scenario[]]>;

/** Sends a request that fails, and first creates what its operation reads or changes. */
export type Failure = (
  person: Person,
  send: (request: Omit<Request, 'as'>) => Promise<Answer>,
) => Promise<Answer>;

/** Requests that use what no valid one does: to undo what was done, or to tell of what was refused. */
export type Failures = Readonly<Record<string, Failure>>;

/** The scenarios of an area. */
export const scenariosOf = (area: string): { scenarios: Scenarios; failures?: Failures } => {
  const file = join(ROOT, 'test', area, 'scenarios.ts');
  return existsSync(file) ? jest.requireActual(file) : { scenarios: {} };
};

let upserted = 0;

/**
 * Requests of an operation that creates or changes by an `external_ref`, with the bodies of the POST: each changes
 * what is there already, and creates.
 * @param put sends the same request, which creates what the next one changes
 */
export const byExternalRef = (
  creating: Scenarios[string],
  put: (person: Person, request: { params: Record<string, string>; body: object }) => Promise<unknown>,
): Scenarios[string] => {
  const [first, ...others] = creating.flatMap((single): Scenario[] => {
    const request = async (person: Person) => {
      const { external_ref: _, ...body } = (await single(person)).body as { external_ref?: string };
      return { params: { external_ref: `ref/${(upserted += 1)}` }, body };
    };
    return [
      async (person) => {
        const { params, body } = await request(person);
        await put(person, { params, body });
        return { params, body: { ...body, name: 'Crane 8', tags: ['new'], metadata: { keeper: 'Acme' } } };
      },
      request,
    ];
  });
  return [first!, ...others];
};

let mutations = 0;

/**
 * Requests of a batch, whose rows are those of an operation for a single resource, so that a batch may use all that the
 * operation may. Each row comes with a `client_mutation_id`, and without.
 */
export const inBatch = (
  [first, ...others]: Scenarios[string],
  rowOf: (request: Omit<Request, 'as'>) => unknown = ({ body }) => body,
  pathOf: (request: Omit<Request, 'as'>) => Pick<Request, 'params'> = () => ({}),
): Scenarios[string] => {
  const batched =
    (single: Scenario): Scenario =>
    async (person) => {
      const request = await single(person);
      const row = rowOf(request) as object;
      const client_mutation_id = `m-${(mutations += 1)}`;
      return { ...pathOf(request), body: { rows: [{ ...row, client_mutation_id }, row] } };
    };
  return [batched(first), ...others.map(batched)];
};

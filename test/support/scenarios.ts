import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import type { Grant } from '../../shared/http/operation/grants.ts';
import type { Request } from './call.ts';
import type { Person } from './people.ts';

/** Makes a request that must succeed, and first creates what its operation reads or changes. */
export type Scenario = (person: Person) => Promise<Omit<Request, 'as'>> | Omit<Request, 'as'>;

/**
 * Valid requests of an area's operations by their ids. Together, the requests of an operation use all grants that it
 * declares. `test/<area>/scenarios.ts` exports them as `scenarios`, and `failureGrants` if there are any.
 */
export type Scenarios = Record<string, readonly [Scenario, ...Scenario[]]>;

/** Grants that an operation uses only when it fails, to undo what it has done. */
export type FailureGrants = Readonly<Record<string, readonly Grant[]>>;

/** The scenarios of an area. */
export const scenariosOf = (area: string): { scenarios: Scenarios; failureGrants?: FailureGrants } => {
  const file = join(ROOT, 'test', area, 'scenarios.ts');
  return existsSync(file) ? jest.requireActual(file) : { scenarios: {} };
};

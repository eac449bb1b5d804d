import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import type { Grant } from '../../shared/http/grants.ts';
import type { Request } from './call.ts';
import type { Person } from './people.ts';

/** A request that must succeed, and where its operation has nothing to read or change unless it is made first. */
export type Scenario = (person: Person) => Promise<Omit<Request, 'as'>> | Omit<Request, 'as'>;

/**
 * Valid requests of an area's operations by their ids, so many of each that together they use all it declares.
 * `test/<area>/scenarios.ts` exports them as `scenarios`, and `failureGrants` where there are such.
 */
export type Scenarios = Record<string, readonly [Scenario, ...Scenario[]]>;

/** Grants that an operation uses only when it fails, to take back what it has begun. */
export type FailureGrants = Readonly<Record<string, readonly Grant[]>>;

/** What an area's file says about an operation. */
export const scenariosOf = (area: string): { scenarios: Scenarios; failureGrants?: FailureGrants } => {
  const file = join(ROOT, 'test', area, 'scenarios.ts');
  return existsSync(file) ? jest.requireActual(file) : { scenarios: {} };
};

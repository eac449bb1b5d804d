import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { ApiError } from '../base/api-error.ts';
import type { Caller, KeyCaller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { pick } from '../base/fields.ts';
import { initialValues } from '../schemas/resource.ts';
import type { Collection } from '../table/collection.ts';
import type { Resources, VersionedKind } from '../table/entities/kinds.ts';
import { retrying, Stale } from '../table/retry.ts';
import type { Row } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { Existing } from './reply/reply.ts';

/** The kinds whose resources have an `external_ref`. */
type ReferredKind = {
  [K in VersionedKind]: Resources[K] extends { external_ref: string | null } ? K : never;
}[VersionedKind];

/** How the resources of a kind are found by their `external_ref`, made and changed. */
interface Upserted<K extends ReferredKind, Fields, Changes, Shown> {
  records: Collection<K>;
  /** What an `external_ref` is reserved as. */
  as: string;
  /** The bodies of the POST and the PATCH. */
  created: z.ZodObject & z.ZodType<Fields>;
  changed: z.ZodObject & z.ZodType<Changes>;
  create: (fields: Fields) => Promise<Shown>;
  update: (id: string, changes: Changes, expectedVersion: number) => Promise<Shown>;
  /** The resource that stands for the one that has the `external_ref`; undefined when it is gone. */
  standingFor?: (caller: Caller, row: Row<Resources[K]>) => Promise<Row<Resources[K]> | undefined>;
}

/** A request to create the resource with an `external_ref`, or to change it. */
interface Request {
  params: { external_ref: string };
  body: { external_ref?: string | null | undefined };
  caller: KeyCaller;
  expectedVersion: number | undefined;
}

/** Whether an operation was refused because another writer was faster. */
const isOvertaken = (error: unknown, ...by: readonly { code: string }[]): boolean =>
  error instanceof ApiError && by.some(({ code }) => code === error.code);

/** @throws ApiError 409 naming the fields that only a POST sets, and that have another value */
const expectFixedKept = (noun: string, current: object, fixed: object): void => {
  const names = Object.entries(fixed).flatMap(([name, value]) =>
    isDeepStrictEqual((current as Record<string, unknown>)[name], value) ? [] : [name],
  );
  if (names.length > 0) throw errors.fieldsFixed(noun, names);
};

/**
 * Creates the resource with an `external_ref`, or changes the one that has it; starts again when another writer was
 * faster. The change is one of the version that was read, so it never meets a resource that has lost its
 * `external_ref`.
 * @throws ApiError 422 for another `external_ref` in the body; 409 for another version, or a field that only a POST
 *   sets; 404 for a version of a resource that does not exist; else as `create` and `update`
 */
export const upsert = async <K extends ReferredKind, Fields extends object, Changes, Shown>(
  { params: { external_ref }, body, caller, expectedVersion }: Request,
  { records, as, created, changed, create, update, standingFor }: Upserted<K, Fields, Changes, Shown>,
): Promise<Shown | Existing<Shown>> => {
  if (body.external_ref !== undefined && body.external_ref !== external_ref) {
    const msg = 'Value error, should be the external_ref in the path';
    const loc = ['body', 'external_ref'];
    throw errors.validationFailed([{ loc, type: 'value_error', msg, input: body.external_ref }]);
  }
  const given = Object.keys(body) as (keyof typeof body)[];
  const changes = pick(
    body,
    given.filter((name) => name in changed.shape),
  );
  const fixed = pick(
    body,
    given.filter((name) => !(name in changed.shape)),
  );

  // One that stands for another one keeps its own `external_ref`.
  const changesOf = (current: { external_ref: string | null }) =>
    current.external_ref === external_ref ? changes : { ...changes, external_ref: current.external_ref };

  return retrying('The database', async () => {
    const id = await findReserved(caller, as, external_ref);
    if (id === undefined) {
      if (expectedVersion !== undefined) throw errors.notFound(records.noun);
      const fields = { ...initialValues(created), ...body, external_ref } as unknown as Fields;
      return create(fields).catch((error: unknown) => {
        throw isOvertaken(error, errors.valueInUse) ? new Stale() : error;
      });
    }
    const known = await records.find(caller, id);
    if (known?.external_ref !== external_ref) throw new Stale();
    const current = standingFor ? await standingFor(caller, known) : known;
    if (!current) throw errors.notFound(records.noun);
    expectFixedKept(records.noun, current, fixed);
    const version = expectedVersion ?? current.version;
    const isOwn = expectedVersion === undefined;
    return new Existing(
      await update(current.id, changesOf(current) as Changes, version).catch((error: unknown) => {
        throw isOvertaken(error, errors.notFound, ...(isOwn ? [errors.versionMismatch] : []))
          ? new Stale()
          : error;
      }),
    );
  });
};

import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { fold } from '../base/text.ts';
import { categoryProblems } from '../domain/issues/questions.ts';
import { checkAssignee } from '../inspections/corrective-actions/assignee.ts';
import {
  IssueCategory,
  type IssueCategoryChanges,
  type IssueCategoryQuery,
  type NewIssueCategory,
} from '../schemas/issues/category.ts';
import { present } from '../schemas/projection.ts';
import { change } from '../table/change.ts';
import { collection, edit, expectVersion, newResource } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import type { Listing } from '../table/listing.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { reference, resolve } from '../table/references.ts';
import * as resource from '../table/resource.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import { close } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const KIND = 'ISSUE_CATEGORY';
const NAME = 'name of issue categories';

export const categoryRecords = collection(KIND, 'issue category', {
  unique: { [NAME]: ({ name }) => fold(name) },
});

/** A category as it is sent to clients. */
const toCategory = (stored: IssueCategory): IssueCategory => present(IssueCategory, stored);

/** Every question has an id; a new one gets its id here. */
const withIds = (questions: NewIssueCategory['questions']): IssueCategory['questions'] =>
  questions.map(({ id = uuidv7(), ...question }) => ({ id, ...question }));

/** @throws ApiError 422 for questions and translations that do not fit together */
const expectSound = (category: IssueCategory): void => {
  const problems = categoryProblems(category);
  if (problems.length > 0) throw errors.validationFailed(problems);
};

/** @throws ApiError 400 for a default assignee who is no active member. One call, or none. */
const checkDefaultAssignee = async (caller: Caller, id: string | null | undefined): Promise<void> => {
  const [member] = await resolve(caller, [reference(caller, 'default_assignee_id', 'MEMBER', id)]);
  if (id) checkAssignee(member, 'default_assignee_id');
};

/**
 * @throws ApiError 400 for a default assignee who is no active member; 409 for a name in use; 422 for questions or
 *   translations that do not fit together
 */
export const create = (caller: Caller, { questions, ...fields }: NewIssueCategory): Promise<IssueCategory> =>
  change(caller, async (work) => {
    const category: IssueCategory = newResource(work, {
      ...fields,
      questions: withIds(questions),
      created_by: caller.user_id,
    });
    await checkDefaultAssignee(caller, category.default_assignee_id);
    expectSound(category);
    return { writes: resource.create(categoryRecords, work, category), reply: toCategory(category) };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<IssueCategory> =>
  toCategory(await categoryRecords.get(caller, id));

/** In creation order. */
export const list = (caller: Caller, query: IssueCategoryQuery): Promise<Listing<IssueCategory>> =>
  categoryRecords.list(
    caller,
    query,
    { where: { is_active: query.is_active === undefined ? undefined : [query.is_active] } },
    toCategory,
  );

/** @throws ApiError 404; 409 for another version; else as `create` */
export const update = async (
  caller: Caller,
  id: string,
  { questions, ...changes }: IssueCategoryChanges,
  expectedVersion?: number,
): Promise<IssueCategory> =>
  toCategory(
    await edit(categoryRecords, caller, id, undefined, async (current) => {
      const next = merge(current, { ...changes, ...(questions && { questions: withIds(questions) }) });
      if (next.default_assignee_id !== current.default_assignee_id) {
        await checkDefaultAssignee(caller, next.default_assignee_id);
      }
      expectVersion(categoryRecords.noun, current, expectedVersion);
      expectSound(next);
      return { next };
    }),
  );

/**
 * Deletes a category. Its public links end with it; a worker deletes their rows.
 * @throws ApiError 404; 409 for another version, or while issues refer to it
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const category = withoutKeys(await categoryRecords.get(caller, id));
    expectVersion(categoryRecords.noun, category, expectedVersion);
    return {
      writes: [
        ...resource.remove(categoryRecords, work, category),
        ...close(caller, KIND, id, 'issues', 'The category has issues. Deactivate it instead'),
        enqueue(work, 'cleanup', { issue_category_id: id }),
      ],
      reply: null,
    };
  });

/** Public links that are deleted in one transaction. */
const MAX_BATCH = 50;

/** Deletes some of the public links of a deleted category. The reply is whether there may be more. */
export const deleteSomeOfCategory = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const links: Write[] = [];
    const rows = queryRows(caller, { ...keys.parts(caller, KIND, id, 'PUBLIC_LINK'), pageSize: MAX_BATCH });
    for await (const { pk, sk } of rows) {
      links.push(write.drop({ pk, sk }));
      if (links.length === MAX_BATCH) break;
    }
    return { writes: links, reply: links.length === MAX_BATCH };
  });

import type { Caller } from '../../base/caller.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { nameOf } from '../../domain/contact-task.ts';
import { filterIn, isShown, placesOf, type TaskLine, type TaskQuery } from '../../domain/contact-tasks.ts';
import { hideId } from '../../domain/hidden-id.ts';
import { FIELD } from '../../domain/issue-form/fields.ts';
import { newStamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import { closedPage } from '../../http/pages/action-page.ts';
import type { Page } from '../../http/pages/page.ts';
import { tasksPage } from '../../http/pages/tasks-page.ts';
import { MAX_TASKS, taskLines, tasksOfLink } from '../../inspections/corrective-actions/contact-tasks.ts';
import { openContactLink, type OpenedAction } from '../../inspections/corrective-actions/contact.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';

/** A visit of the list of all tasks by the link to one of them. */
export interface TasksVisit {
  caller: Caller;
  target: LinkTargets['action'];
  /** By the browser's settings. */
  language: Language;
  query: TaskQuery & { language?: string | undefined };
}

/** The open tasks of whoever has a link, in the order of their list, by their hidden ids. */
const listedTasks = async (caller: Caller, opened: OpenedAction) => {
  const now = new Date().toISOString();
  const { tasks, isCut } = await tasksOfLink(caller, opened, now);
  const lines = await taskLines(caller, tasks, opened.organization, now);
  const { form_secret } = opened.link;
  return { isCut, tasks: lines.map((line) => ({ ...line, id: hideId(form_secret, line.id) })) };
};

/** The open tasks that a filter shows. @throws ApiError 404 for a link that does not work */
export const openTaskList = async ({
  caller,
  target,
  query,
}: Pick<TasksVisit, 'caller' | 'target' | 'query'>): Promise<TaskLine[]> => {
  const { tasks } = await listedTasks(caller, await openContactLink(caller, target));
  return tasks.filter(isShown(filterIn(query)));
};

/** What was entered on the page, and what is wrong with it. */
interface TasksEntered {
  stamp: string;
  note: string;
  chosen: ReadonlySet<string>;
  problems: readonly string[];
}

/** The page with the entries so far. */
export const listPage = async (
  { caller, query }: Pick<TasksVisit, 'caller' | 'query'>,
  opened: OpenedAction,
  language: Language,
  entered: TasksEntered,
): Promise<Page> => {
  const { tasks, isCut } = await listedTasks(caller, opened);
  const sender = await senderOf(caller, opened.organization);
  if (tasks.length === 0) return closedPage(language, sender, null);
  const filter = filterIn(query);
  return tasksPage(language, {
    sender,
    contact: nameOf(opened.action.contact),
    tasks: tasks.filter(isShown(filter)),
    most: isCut ? MAX_TASKS : null,
    filter,
    places: placesOf(tasks),
    ...entered,
  });
};

/**
 * The page of all open tasks of the contact who has a link, in this organization. It ends with the link.
 * @throws ApiError 404 for a link that does not work
 */
export const showTasks = async (visit: TasksVisit): Promise<Page> => {
  const opened = await openContactLink(visit.caller, visit.target);
  const language = knownLanguage(visit.query[FIELD.language] ?? '') ?? visit.language;
  const stamp = newStamp(opened.link.form_secret, Date.now());
  return listPage(visit, opened, language, { stamp, note: '', chosen: new Set(), problems: [] });
};

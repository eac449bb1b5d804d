import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { filterIn } from '../../domain/contact-tasks.ts';
import { shownId } from '../../domain/hidden-id.ts';
import { MAX_LENGTH } from '../../domain/issue-form/check.ts';
import { newStamp, readStamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import type { Page } from '../../http/pages/page.ts';
import { MAX_CHOSEN, outcomesPage } from '../../http/pages/tasks-page.ts';
import { numberText } from '../../http/pages/texts.ts';
import { targetOfTask } from '../../inspections/corrective-actions/contact-tasks.ts';
import {
  openContactLink,
  type OpenedAction,
  takeContactForm,
} from '../../inspections/corrective-actions/contact.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { listPage, type TasksVisit } from './show-tasks.ts';
import { MAX_AGE_MS } from './submit-form.ts';

/** A form that reports several tasks as done. */
export interface SentTasks extends TasksVisit {
  sent: {
    stamp?: string | undefined;
    language?: string | undefined;
    next?: string | undefined;
    description?: string | undefined;
    task?: readonly string[] | undefined;
  };
}

/** What is found; undefined for a link or a task that there is not. */
const ifFound = <Found>(found: Promise<Found>): Promise<Found | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });

/** Why a task was not taken, in words; undefined for one that another delivery of the same form has taken. */
const reasonNow = async (
  caller: Caller,
  target: LinkTargets['action'],
  nonce: string,
  language: Language,
): Promise<string | undefined> => {
  const { action: texts, errors } = PAGE_TEXTS[language];
  const now = await ifFound(openContactLink(caller, target, nonce));
  if (!now) return errors.notFound.title;
  if (now.isSent) return undefined;
  if (now.isClosed) return texts.closed.title;
  return now.action.status === 'pending_verification' ? texts.reported.title : texts.problems.evidence;
};

/** What became of one chosen task. */
interface Outcome {
  title: string;
  /** Why it was not taken, in words. */
  reason: string | undefined;
}

/** Reports one task as done, in a transaction of its own. */
const report = async (
  caller: Caller,
  opened: OpenedAction,
  id: string,
  { nonce, note }: { nonce: string; note: string },
  language: Language,
): Promise<Outcome> => {
  const task = await ifFound(targetOfTask(caller, opened, id));
  if (!task) return { title: '', reason: PAGE_TEXTS[language].errors.notFound.title };
  const { title, target } = task;
  try {
    await takeContactForm(caller, target, { nonce, note, isDone: true, photos: [] });
    return { title, reason: undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { title, reason: await reasonNow(caller, target, nonce, language) };
  }
};

/** What is wrong with what was sent, in words. */
const problemsOf = (language: Language, chosen: ReadonlySet<string>, note: string): string[] => {
  const { tasks, issue } = PAGE_TEXTS[language];
  const many = (text: string, n: number) => fill(text, { n: numberText(language, n) });
  return [
    ...(chosen.size === 0 || chosen.size > MAX_CHOSEN ? [many(tasks.choose, MAX_CHOSEN)] : []),
    ...(note.length > MAX_LENGTH.long_text ? [many(issue.problems.long, MAX_LENGTH.long_text)] : []),
  ];
};

/**
 * Reports the chosen tasks of a contact as done, by the same rules as a single one. Each is taken or refused by itself;
 * the page says which. A form that is sent twice is taken once.
 * @throws ApiError 404 for a link that does not work
 */
export const submitTasks = async (visit: SentTasks): Promise<Page> => {
  const { caller, target, sent } = visit;
  const { stamp: text = '', description = '', next, task = [] } = sent;
  const language = knownLanguage(sent.language ?? '') ?? visit.language;
  const opened = await openContactLink(caller, target);
  const { form_secret } = opened.link;
  const stamp = readStamp(form_secret, text);
  const note = description.replaceAll('\r\n', '\n').trim();
  const chosen = new Set(task);
  const again = (problems: readonly string[], newText = text) =>
    listPage(visit, opened, language, { stamp: newText, note, chosen, problems });
  if (!stamp || Date.now() - stamp.issuedAt > MAX_AGE_MS) {
    return again([PAGE_TEXTS[language].issue.problems.again], newStamp(form_secret, Date.now()));
  }
  if (next === 'language') return again([]);
  const problems = problemsOf(language, chosen, note);
  if (problems.length > 0) return again(problems);
  const outcomes: Outcome[] = [];
  // One after the other: tasks of the same inspection change the same counters.
  for (const id of chosen)
    outcomes.push(await report(caller, opened, shownId(form_secret, id), { ...stamp, note }, language));
  return outcomesPage(
    language,
    await senderOf(caller, opened.organization),
    {
      taken: outcomes.flatMap(({ title, reason }) => (reason === undefined ? [title] : [])),
      refused: outcomes.flatMap(({ title, reason }) => (reason === undefined ? [] : [{ title, reason }])),
    },
    filterIn(visit.query),
  );
};

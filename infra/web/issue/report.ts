import { type Draft, drop, find, keep } from './drafts.ts';
import { Photos } from './photos.ts';
import { type Answer, postForm, Refused, Unreachable, uploadPhoto } from './send.ts';
import { type Texts, textsOf } from './texts.ts';

/** How often a draft is tried again while the page is open, in milliseconds: not every lost connection is noticed. */
const RETRY_EVERY = 30_000;

const page = location.pathname;

const currentForm = (): HTMLFormElement | null =>
  document.querySelector<HTMLFormElement>('form#report[data-texts]');

let texts: Texts;
let photos: Photos;
/** Nothing is sent twice at once, however often somebody taps. */
let isBusy = false;
/** The draft that waits for a connection. */
let waiting: Draft | undefined;

const notice = (text: string, role: 'status' | 'alert', more: Node[] = []): void => {
  document.querySelector('.notice')?.remove();
  const box = document.createElement('div');
  box.className = 'notice';
  box.setAttribute('role', role);
  box.tabIndex = -1;
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  box.append(paragraph, ...more);
  currentForm()?.before(box);
  if (role === 'alert') box.focus();
};

const buttonOf = (text: string, onClick: () => void): HTMLButtonElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'second small';
  button.textContent = text;
  button.onclick = onClick;
  return button;
};

const discardButton = (): HTMLButtonElement =>
  buttonOf(texts.discard, () => {
    waiting = undefined;
    document.querySelector('.notice')?.remove();
    void drop(page);
  });

/** Photos may be what cannot be sent: a report without them is better than none. */
const sendWithoutPhotos = async (draft: Draft): Promise<void> => {
  const fields = draft.fields.map(([name, value]): [string, string] => [
    name,
    name === 'photos' ? '' : value,
  ]);
  waiting = { ...draft, fields, photos: [] };
  await keep(waiting);
  await sendDraft();
};

/** What can be done with a draft that could not be sent. */
const waysOn = (draft: Draft): HTMLButtonElement[] => [
  discardButton(),
  ...(draft.photos.length > 0 ? [buttonOf(texts.withoutPhotos, () => void sendWithoutPhotos(draft))] : []),
];

/** Shows what the server has replied: the form again, or thanks. */
const show = ({ page: reply }: Answer): void => {
  document.title = reply.title;
  document.documentElement.lang = reply.documentElement.lang;
  document.documentElement.dir = reply.documentElement.dir;
  document.body.replaceChildren(...reply.body.childNodes);
  const form = currentForm();
  if (form) {
    texts = textsOf(form);
    photos.moveTo(form, texts);
    listen(form);
  }
  const first = document.querySelector<HTMLElement>('.problems') ?? document.querySelector<HTMLElement>('h1');
  if (!first) return;
  first.tabIndex = -1;
  first.focus();
  first.scrollIntoView({ block: 'nearest' });
};

const fieldsOf = (form: HTMLFormElement, next: string): [string, string][] => [
  ...[...new FormData(form)].filter(
    (entry): entry is [string, string] => entry[0] !== 'next' && typeof entry[1] === 'string',
  ),
  ['next', next],
];

const setBusy = (busy: boolean): void => {
  isBusy = busy;
  for (const button of document.querySelectorAll('.send')) {
    if (busy) button.setAttribute('aria-disabled', 'true');
    else button.removeAttribute('aria-disabled');
  }
};

/** Keeps a report that cannot be sent now. What is incomplete is shown at once, not when it is too late. */
const save = async (form: HTMLFormElement, fields: [string, string][]): Promise<void> => {
  if (!form.checkValidity()) {
    form.reportValidity();
    return;
  }
  const stamp = form.querySelector<HTMLInputElement>('[name=stamp]')!.value;
  const draft: Draft = { page, stamp, fields, photos: await photos.kept(), savedAt: Date.now() };
  const isKept = await keep(draft);
  document.querySelector('.problems')?.remove();
  waiting = draft;
  notice(isKept && !navigator.onLine ? texts.saved : texts.later, 'alert', isKept ? waysOn(draft) : []);
};

/** @param next the value of the button that was pressed */
const sendReport = async (form: HTMLFormElement, next: string): Promise<void> => {
  setBusy(true);
  notice(texts.sending, 'status');
  try {
    await photos.ready();
    show(await postForm(page, fieldsOf(form, next)));
    waiting = undefined;
    await drop(page);
  } catch (error) {
    if (error instanceof Unreachable) await save(form, fieldsOf(form, next));
    else if (error instanceof Refused) document.querySelector('.notice')?.remove();
    else throw error;
  } finally {
    setBusy(false);
  }
};

const changeLanguage = async (form: HTMLFormElement): Promise<void> => {
  try {
    const answer = await postForm(page, fieldsOf(form, 'language'));
    show(answer);
    document.querySelector<HTMLElement>('#language')?.focus();
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    notice(texts.later, 'status');
  }
};

/** Sends a draft, with all its photos: those that had arrived may be gone by now. What is sent twice is one issue. */
const sendDraft = async (): Promise<void> => {
  const draft = waiting;
  if (!draft || isBusy) return;
  setBusy(true);
  notice(texts.sending, 'status', [discardButton()]);
  try {
    for (const { slot, blob } of draft.photos)
      await uploadPhoto(page, { stamp: draft.stamp, slot, blob }, () => undefined);
    const answer = await postForm(page, draft.fields);
    if (waiting !== draft) return;
    waiting = undefined;
    await drop(page);
    show(answer);
  } catch (error) {
    if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
    if (waiting === draft) notice(navigator.onLine ? texts.later : texts.saved, 'status', waysOn(draft));
  } finally {
    setBusy(false);
  }
};

const listen = (form: HTMLFormElement): void => {
  form.onsubmit = (event) => {
    event.preventDefault();
    const { value: next = 'send' } = (event.submitter ?? {}) as Partial<HTMLButtonElement>;
    if (!isBusy) void sendReport(form, next);
  };
  const language = document.querySelector<HTMLSelectElement>('#language');
  if (language) language.onchange = () => void changeLanguage(form);
};

/** Adds to the form what a browser can do with a program. Without it, the form works as well. */
export const startReport = (): void => {
  const form = currentForm();
  if (!form) return;
  texts = textsOf(form);
  photos = new Photos(page, form, texts, (text) => notice(text, 'alert'));
  listen(form);
  addEventListener('online', () => void sendDraft());
  setInterval(() => void sendDraft(), RETRY_EVERY);
  void find(page).then((draft) => {
    waiting ??= draft;
    return sendDraft();
  });
};

import type { Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { html } from '../../base/markup.ts';
import type { Sender } from '../../files/logo.ts';
import type { Page } from './page.ts';
import { message, plain } from './texts.ts';

/** Whose mails a page is about, and to which address. */
export interface Subscription {
  sender: Sender;
  address: string;
}

const namesOf = ({ sender, address }: Subscription) => ({ organization: sender.name, address });

const told = (texts: { title: string; text: string }, subscription: Subscription): Page => ({
  title: plain(texts.title, namesOf(subscription)),
  content: message(texts, namesOf(subscription)),
  sender: subscription.sender,
});

/** Asks whether the address wants mails. Only a button answers: programs that follow links in mails change nothing. */
export const questionPage = (language: Language, subscription: Subscription): Page => {
  const { confirm } = PAGE_TEXTS[language];
  const page = told(confirm, subscription);
  return {
    ...page,
    content: html`${page.content}
      <form method="post">
        <button name="answer" value="yes">${confirm.yes}</button>
        <button name="answer" value="no" class="second">${confirm.no}</button>
      </form>`,
  };
};

/** Says which answer was saved. @param report the page of the report that was offered; null where there is none */
export const answeredPage = (
  language: Language,
  answer: 'confirmed' | 'refused',
  subscription: Subscription,
  report: string | null,
): Page => {
  const { confirm, share } = PAGE_TEXTS[language];
  const page = told(confirm[answer], subscription);
  if (report === null) return page;
  return {
    ...page,
    content: html`${page.content}
      <p class="links"><a class="button" href="${report}">${share.open}</a></p>`,
  };
};

/** Asks whether all mails shall stop. The button sends what a mail program sends itself (RFC 8058, section 3.1). */
export const stopPage = (language: Language, subscription: Subscription): Page => {
  const { stop } = PAGE_TEXTS[language];
  const page = told(stop, subscription);
  return {
    ...page,
    content: html`${page.content}
      <form method="post">
        <button name="List-Unsubscribe" value="One-Click">${stop.button}</button>
      </form>`,
  };
};

/** Says that no more mails will be sent. */
export const stoppedPage = (language: Language, subscription: Subscription): Page =>
  told(PAGE_TEXTS[language].stop.stopped, subscription);

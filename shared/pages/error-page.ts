import type { ApiError } from '../base/api-error.ts';
import { publicUrl } from '../base/environment.ts';
import { html } from '../base/markup.ts';
import type { Language } from '../i18n/languages.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import type { Page } from './page.ts';
import { message } from './texts.ts';

/** Errors after which the sign-in can be started again, with their texts. */
const SIGN_IN: Readonly<Record<string, 'failed' | 'noMembership' | 'notYours' | undefined>> = {
  sign_in_failed: 'failed',
  no_membership: 'noMembership',
  invitation_not_yours: 'notYours',
};

/** Which text belongs to a status. A link that is not known and one that has ended have the same. */
const kindOf = ({ status, code }: Pick<ApiError, 'status' | 'code'>) => {
  if (code === 'organization_suspended') return 'closed';
  if (status === 404) return 'notFound';
  if (status === 429) return 'tooMany';
  return status < 500 ? 'unreadable' : 'unavailable';
};

/** The page for a failure. It says nothing about the link, its organization or the reason. */
export const errorPage = (language: Language, { status, code }: Pick<ApiError, 'status' | 'code'>): Page => {
  const { errors, signIn } = PAGE_TEXTS[language];
  const texts = SIGN_IN[code];
  if (texts) {
    const { title, text, again } = { ...signIn[texts], again: signIn.again };
    return {
      title,
      content: html`${message({ title, text })}
        <p><a href="${publicUrl('app', 'sign-in?anew=1')}">${again}</a></p>`,
    };
  }
  const text = errors[kindOf({ status, code })];
  return { title: text.title, content: message(text) };
};

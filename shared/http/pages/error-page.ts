import type { ApiError } from '../../base/api-error.ts';
import { publicUrl } from '../../base/environment.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { html } from '../../base/markup.ts';
import type { Page } from './page.ts';
import { message } from './texts.ts';

/** Errors after which the sign-in can be started again, with their texts. */
const SIGN_IN: Readonly<Record<string, 'failed' | 'noMembership' | 'notYours' | undefined>> = {
  sign_in_failed: 'failed',
  no_membership: 'noMembership',
  invitation_not_yours: 'notYours',
};

/** Which text belongs to a status. */
const kindOf = ({ status, code }: Pick<ApiError, 'status' | 'code'>) => {
  if (code === 'organization_suspended') return 'closed';
  if (status === 404) return 'notFound';
  if (status === 429) return 'tooMany';
  return status < 500 ? 'unreadable' : 'unavailable';
};

/**
 * The page for a failure. It does not say the reason.
 * @param organization the name of the one that made the link; left out for a link that is not known
 */
export const errorPage = (
  language: Language,
  { status, code }: Pick<ApiError, 'status' | 'code'>,
  organization?: string,
): Page => {
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
  const kind = kindOf({ status, code });
  if (kind === 'notFound' && organization !== undefined)
    return {
      title: errors.ended.title,
      content: message(errors.ended, { organization }),
      sender: { name: organization, logoUrl: null },
    };
  const text = errors[kind];
  return { title: text.title, content: message(text) };
};

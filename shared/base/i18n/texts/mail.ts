import ar from '../ar/mail.json' with { type: 'json' };
import de from '../de/mail.json' with { type: 'json' };
import el from '../el/mail.json' with { type: 'json' };
import en from '../en/mail.json' with { type: 'json' };
import es from '../es/mail.json' with { type: 'json' };
import fr from '../fr/mail.json' with { type: 'json' };
import he from '../he/mail.json' with { type: 'json' };
import hi from '../hi/mail.json' with { type: 'json' };
import it from '../it/mail.json' with { type: 'json' };
import ja from '../ja/mail.json' with { type: 'json' };
import nl from '../nl/mail.json' with { type: 'json' };
import pl from '../pl/mail.json' with { type: 'json' };
import pt from '../pt/mail.json' with { type: 'json' };
import tr from '../tr/mail.json' with { type: 'json' };
import type { Translations } from '../translations.ts';
import uk from '../uk/mail.json' with { type: 'json' };
import zh from '../zh/mail.json' with { type: 'json' };

/**
 * The texts of mails.
 *
 * - `subject` is the name of an inspection or corrective action, and what happened: the `status` of its event.
 * - `more` ends a list that is cut.
 * - `memberReason`, `memberStop`, `addressReason` and `stop` say why a member or an address gets a mail, and how they
 *   stop it.
 * - `access` tells owners and admins of another owner, and of admins who are none any more: `{member}` is the one
 *   concerned, `{former}` the owner before. Who did it stands on a line of its own, after `labels.by`.
 * - `contactLink` brings a contact outside the organization the link to a corrective action.
 * - `report` brings a report, where its layout has no text of its own.
 */
export const MAIL_TEXTS: Translations<typeof en> = {
  en,
  ar,
  de,
  el,
  es,
  fr,
  he,
  hi,
  it,
  ja,
  nl,
  pl,
  pt,
  tr,
  uk,
  zh,
};

/** The texts of mails in one language. */
export type MailTexts = (typeof MAIL_TEXTS)['en'];

import ar from '../ar/notifications.json' with { type: 'json' };
import de from '../de/notifications.json' with { type: 'json' };
import el from '../el/notifications.json' with { type: 'json' };
import en from '../en/notifications.json' with { type: 'json' };
import es from '../es/notifications.json' with { type: 'json' };
import fr from '../fr/notifications.json' with { type: 'json' };
import he from '../he/notifications.json' with { type: 'json' };
import hi from '../hi/notifications.json' with { type: 'json' };
import it from '../it/notifications.json' with { type: 'json' };
import ja from '../ja/notifications.json' with { type: 'json' };
import nl from '../nl/notifications.json' with { type: 'json' };
import pl from '../pl/notifications.json' with { type: 'json' };
import pt from '../pt/notifications.json' with { type: 'json' };
import tr from '../tr/notifications.json' with { type: 'json' };
import type { Translations } from '../translations.ts';
import uk from '../uk/notifications.json' with { type: 'json' };
import zh from '../zh/notifications.json' with { type: 'json' };

/**
 * What notifications and their mails say of each event: its `title` in a notification, a whole sentence, and its `status`
 * in a mail, which follows the name of the record: “Kitchen 4: assigned to you”. A status that is a plural counts what
 * has been added. In titles, `{inspection}`, `{issue}`, `{finding}` and `{action}` are `numbered`, that is they stand for
 * a number and a name; `{schedule}`, `{source}`, `{connection}` and `{webhook}` are `named`.
 */
export const NOTIFICATION_TEXTS: Translations<typeof en> = {
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

/** The texts of notifications in one language. */
export type NotificationTexts = (typeof NOTIFICATION_TEXTS)['en'];

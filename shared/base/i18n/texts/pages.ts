import ar from '../ar/pages.json' with { type: 'json' };
import de from '../de/pages.json' with { type: 'json' };
import el from '../el/pages.json' with { type: 'json' };
import en from '../en/pages.json' with { type: 'json' };
import es from '../es/pages.json' with { type: 'json' };
import fr from '../fr/pages.json' with { type: 'json' };
import he from '../he/pages.json' with { type: 'json' };
import hi from '../hi/pages.json' with { type: 'json' };
import it from '../it/pages.json' with { type: 'json' };
import ja from '../ja/pages.json' with { type: 'json' };
import nl from '../nl/pages.json' with { type: 'json' };
import pl from '../pl/pages.json' with { type: 'json' };
import pt from '../pt/pages.json' with { type: 'json' };
import tr from '../tr/pages.json' with { type: 'json' };
import type { Translations } from '../translations.ts';
import uk from '../uk/pages.json' with { type: 'json' };
import zh from '../zh/pages.json' with { type: 'json' };

/**
 * The texts of pages, of the mails that lead to one and of the card. `{organization}` is a name, `{address}` an email
 * address, `{n}` a number, `{size}` a size such as "10 MB". `action` is the page of a corrective action, for its contact
 * outside the organization, and `signature` that of a witness, whose name is `{name}`.
 */
export const PAGE_TEXTS: Translations<typeof en> = {
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

/** The texts of pages in one language. */
export type PageTexts = (typeof PAGE_TEXTS)['en'];

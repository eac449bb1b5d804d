import ar from '../ar/admin.json' with { type: 'json' };
import de from '../de/admin.json' with { type: 'json' };
import el from '../el/admin.json' with { type: 'json' };
import en from '../en/admin.json' with { type: 'json' };
import es from '../es/admin.json' with { type: 'json' };
import fr from '../fr/admin.json' with { type: 'json' };
import he from '../he/admin.json' with { type: 'json' };
import hi from '../hi/admin.json' with { type: 'json' };
import it from '../it/admin.json' with { type: 'json' };
import ja from '../ja/admin.json' with { type: 'json' };
import nl from '../nl/admin.json' with { type: 'json' };
import pl from '../pl/admin.json' with { type: 'json' };
import pt from '../pt/admin.json' with { type: 'json' };
import tr from '../tr/admin.json' with { type: 'json' };
import type { Translations } from '../translations.ts';
import uk from '../uk/admin.json' with { type: 'json' };
import zh from '../zh/admin.json' with { type: 'json' };

/**
 * The texts of the admin app. `{name}` is the name of a person, a key or a connection, `{organization}` that of an
 * organization, `{email}` an address, `{n}` a number, `{date}` a time, `{size}` and `{most}` sizes such as "10 MB",
 * `{label}` the label of a field, `{value}` its value.
 */
export const ADMIN_TEXTS: Translations<typeof en> = {
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

/** The texts of the admin app in one language. */
export type AdminTexts = (typeof ADMIN_TEXTS)['en'];

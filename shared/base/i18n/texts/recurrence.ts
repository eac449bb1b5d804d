import ar from '../ar/recurrence.json' with { type: 'json' };
import de from '../de/recurrence.json' with { type: 'json' };
import el from '../el/recurrence.json' with { type: 'json' };
import en from '../en/recurrence.json' with { type: 'json' };
import es from '../es/recurrence.json' with { type: 'json' };
import fr from '../fr/recurrence.json' with { type: 'json' };
import he from '../he/recurrence.json' with { type: 'json' };
import hi from '../hi/recurrence.json' with { type: 'json' };
import it from '../it/recurrence.json' with { type: 'json' };
import ja from '../ja/recurrence.json' with { type: 'json' };
import nl from '../nl/recurrence.json' with { type: 'json' };
import pl from '../pl/recurrence.json' with { type: 'json' };
import pt from '../pt/recurrence.json' with { type: 'json' };
import tr from '../tr/recurrence.json' with { type: 'json' };
import type { Translations } from '../translations.ts';
import uk from '../uk/recurrence.json' with { type: 'json' };
import zh from '../zh/recurrence.json' with { type: 'json' };

/**
 * The texts that describe a recurrence. They are put together without a space between them, in this order: how often,
 * days of the month, weekdays, months, positions, time, zone, end. Names of weekdays and months come as the language
 * lists them, not inflected. `{n}` is a number, and `{nth}` an ordinal, where a language has a short one.
 *
 * - `each` stands for INTERVAL=1, `every` for a larger one.
 * - `weekdaysOnly` names weekdays that only limit what the rest names.
 * - `orLastDay` and the like say what happens in a month without a day of the rule (SKIP). `orDayAfter` is the first day
 *   of the next month. `orDayBefore` and `orFirstDay` stand with days that count from the end of the month.
 * - `positions` says which of the named days count (BYSETPOS).
 * - `ordinal` has the ordinal forms of CLDR.
 */
export const RECURRENCE_TEXTS: Translations<typeof en> = {
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

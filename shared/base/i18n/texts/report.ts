import ar from '../ar/report.json' with { type: 'json' };
import de from '../de/report.json' with { type: 'json' };
import el from '../el/report.json' with { type: 'json' };
import en from '../en/report.json' with { type: 'json' };
import es from '../es/report.json' with { type: 'json' };
import fr from '../fr/report.json' with { type: 'json' };
import he from '../he/report.json' with { type: 'json' };
import hi from '../hi/report.json' with { type: 'json' };
import it from '../it/report.json' with { type: 'json' };
import ja from '../ja/report.json' with { type: 'json' };
import nl from '../nl/report.json' with { type: 'json' };
import pl from '../pl/report.json' with { type: 'json' };
import pt from '../pt/report.json' with { type: 'json' };
import tr from '../tr/report.json' with { type: 'json' };
import type { Translations } from '../translations.ts';
import uk from '../uk/report.json' with { type: 'json' };
import zh from '../zh/report.json' with { type: 'json' };

/** The fixed texts of reports. Names in braces are replaced, some of them by links. */
export const REPORT_TEXTS: Translations<typeof en> = {
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

/** The texts of reports in one language. */
export type ReportTexts = (typeof REPORT_TEXTS)['en'];

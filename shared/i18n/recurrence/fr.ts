import type { RecurrenceTexts } from './en.ts';

export const fr: RecurrenceTexts = {
  each: { DAILY: 'chaque jour', WEEKLY: 'chaque semaine', MONTHLY: 'chaque mois', YEARLY: 'chaque année' },
  every: {
    DAILY: { one: 'tous les {n} jours', many: 'tous les {n} jours', other: 'tous les {n} jours' },
    WEEKLY: {
      one: 'toutes les {n} semaines',
      many: 'toutes les {n} semaines',
      other: 'toutes les {n} semaines',
    },
    MONTHLY: { one: 'tous les {n} mois', many: 'tous les {n} mois', other: 'tous les {n} mois' },
    YEARLY: { one: 'tous les {n} ans', many: 'tous les {n} ans', other: 'tous les {n} ans' },
  },
  weekdays: ', le {days}',
  weekdaysOnly: ', seulement le {days}',
  nthOfMonth: '{nth} {weekday}',
  lastOfMonth: 'dernier {weekday}',
  fromEndOfMonth: '{nth} {weekday} avant la fin du mois',
  nthOfYear: '{nth} {weekday} de l’année',
  lastOfYear: 'dernier {weekday} de l’année',
  fromEndOfYear: '{nth} {weekday} avant la fin de l’année',
  monthDays: ', le {days}',
  day: '{n}',
  lastDay: 'dernier jour',
  dayFromEnd: '{nth} jour avant la fin du mois',
  months: ' en {months}',
  positions: ', parmi ces jours seulement le {days},',
  at: ' à {time}',
  zone: ', {zone}',
  times: { one: ', {n} fois', many: ', {n} fois', other: ', {n} fois' },
  until: ', jusqu’au {date}',
  ordinal: { one: '{n}er', other: '{n}e' },
};

import type { PageTexts } from './en.ts';

export const nl: PageTexts = {
  errors: {
    notFound: {
      title: 'Deze link werkt niet',
      text: 'Misschien is hij onvolledig, verlopen of ingetrokken. Vraag een nieuwe aan de persoon die hem heeft gestuurd.',
    },
    tooMany: {
      title: 'Te veel verzoeken',
      text: 'Deze pagina is te vaak opgevraagd. Probeer het later opnieuw.',
    },
    unreadable: {
      title: 'Het formulier kon niet worden gelezen',
      text: 'Ga terug naar de pagina, laad die opnieuw en verstuur het formulier nog een keer.',
    },
    unavailable: {
      title: 'Er ging iets mis',
      text: 'De pagina kan nu niet worden getoond. Probeer het over een paar minuten opnieuw.',
    },
  },
  confirm: {
    title: 'Wilt u e-mails van {organization}?',
    text: '{organization} wil meldingen over inspecties sturen naar {address}. U beslist.',
    yes: 'Ja, stuur mij e-mails',
    no: 'Nee, stuur mij geen e-mails',
    confirmed: {
      title: 'U krijgt e-mails van {organization}',
      text: 'Dank u. In elke e-mail staat een link om ze te stoppen.',
    },
    refused: {
      title: 'U krijgt geen e-mails van {organization}',
      text: 'Uw antwoord is opgeslagen. Er wordt niets gestuurd naar {address}.',
    },
  },
  stop: {
    title: 'E-mails van {organization} stoppen?',
    text: 'Er wordt niets meer gestuurd naar {address}: geen meldingen en geen rapporten.',
    button: 'Alle e-mails stoppen',
    stopped: {
      title: 'U krijgt geen e-mails meer van {organization}',
      text: 'Er wordt niets meer gestuurd naar {address}. Een e-mail die al onderweg is, kan nog aankomen.',
    },
  },
  share: {
    title: 'Inspectierapport',
    number: 'Inspectie',
    name: 'Naam',
    date: 'Datum van het rapport',
    pages: 'Pagina’s',
    size: 'Grootte',
    until: 'Deze link werkt tot',
    open: 'Rapport openen',
    download: 'Rapport downloaden',
    draft: 'Dit is een concept: de inspectie was nog niet afgerond toen het rapport werd gemaakt.',
    notReady: {
      title: 'Het rapport is nog niet klaar',
      text: 'Het wordt gemaakt. Laad deze pagina over een minuut opnieuw.',
    },
  },
  question: {
    subject: '{organization} wil u e-mails sturen',
    text: '{organization} wil meldingen over inspecties naar dit adres sturen. Wilt u die ontvangen? Open deze pagina en kies ja of nee:',
    answer: 'Antwoorden',
    ignore: 'Als u niets doet, krijgt u geen e-mails van {organization}. Deze link werkt 7 dagen.',
  },
  signIn: {
    again: 'Opnieuw aanmelden',
    failed: {
      title: 'Het aanmelden is niet gelukt',
      text: 'Misschien duurde het te lang, of is het in een andere browser begonnen. Begin opnieuw.',
    },
    noMembership: {
      title: 'U bent van geen enkele organisatie lid',
      text: 'U bent aangemeld, maar geen organisatie heeft uw e-mailadres toegevoegd. Vraag een beheerder van uw organisatie om een uitnodiging.',
    },
    notYours: {
      title: 'Deze uitnodiging is voor iemand anders',
      text: 'Ze is naar een ander e-mailadres gestuurd dan dat waarmee u zich hebt aangemeld, of ze is verlopen. Meld u aan met dat adres, of vraag een nieuwe uitnodiging.',
    },
  },
  invitation: {
    subject: '{organization} nodigt u uit',
    text: '{organization} nodigt u uit om samen aan inspecties te werken. Meld u aan met dit e-mailadres om de uitnodiging te accepteren:',
    accept: 'Uitnodiging accepteren',
    hint: 'De uitnodiging werkt één keer en is 7 dagen geldig.',
    ignore: 'Kent u {organization} niet? Negeer dan deze e-mail. Er gebeurt dan niets.',
  },
};

import type { PageTexts } from './en.ts';

export const it: PageTexts = {
  errors: {
    notFound: {
      title: 'Questo link non funziona',
      text: 'Potrebbe essere incompleto, scaduto o ritirato. Ne chieda uno nuovo alla persona che glielo ha inviato.',
    },
    tooMany: {
      title: 'Troppe richieste',
      text: 'Questa pagina è stata richiesta troppo spesso. Riprovi più tardi.',
    },
    unreadable: {
      title: 'Non è stato possibile leggere il modulo',
      text: 'Torni alla pagina, la ricarichi e invii di nuovo il modulo.',
    },
    unavailable: {
      title: 'Qualcosa è andato storto',
      text: 'Al momento la pagina non può essere mostrata. Riprovi tra qualche minuto.',
    },
  },
  confirm: {
    title: 'Vuole ricevere e-mail da {organization}?',
    text: '{organization} vorrebbe inviare notifiche sulle ispezioni a {address}. Decide Lei.',
    yes: 'Sì, inviatemi e-mail',
    no: 'No, non inviatemi e-mail',
    confirmed: {
      title: 'Riceverà e-mail da {organization}',
      text: 'Grazie. Ogni e-mail contiene un link per non riceverne più.',
    },
    refused: {
      title: 'Non riceverà e-mail da {organization}',
      text: 'La Sua risposta è stata salvata. Non verrà inviato nulla a {address}.',
    },
  },
  stop: {
    title: 'Non ricevere più e-mail da {organization}?',
    text: 'Non verrà inviato più nulla a {address}: né notifiche né rapporti.',
    button: 'Interrompere tutte le e-mail',
    stopped: {
      title: 'Non riceverà più e-mail da {organization}',
      text: 'Non verrà inviato più nulla a {address}. Un’e-mail già in viaggio può ancora arrivare.',
    },
  },
  share: {
    title: 'Rapporto d’ispezione',
    number: 'Ispezione',
    name: 'Nome',
    date: 'Data del rapporto',
    pages: 'Pagine',
    size: 'Dimensione',
    until: 'Questo link è valido fino al',
    open: 'Aprire il rapporto',
    download: 'Scaricare il rapporto',
    draft: 'Questa è una bozza: l’ispezione non era conclusa quando il rapporto è stato creato.',
    notReady: {
      title: 'Il rapporto non è ancora pronto',
      text: 'È in preparazione. Ricarichi questa pagina tra un minuto.',
    },
  },
  question: {
    subject: '{organization} vorrebbe inviarLe e-mail',
    text: '{organization} vorrebbe inviare notifiche sulle ispezioni a questo indirizzo. Vuole riceverle? Apra questa pagina e scelga sì o no:',
    answer: 'Rispondere',
    ignore: 'Se non fa nulla, non riceverà e-mail da {organization}. Questo link è valido per 7 giorni.',
  },
  signIn: {
    again: 'Accedi di nuovo',
    failed: {
      title: 'Non è stato possibile completare l’accesso',
      text: 'Forse ha richiesto troppo tempo oppure è stato iniziato in un altro browser. Ricomincia.',
    },
    noMembership: {
      title: 'Non sei membro di nessuna organizzazione',
      text: 'Hai effettuato l’accesso, ma nessuna organizzazione ha aggiunto il tuo indirizzo e-mail. Chiedi un invito a un amministratore della tua organizzazione.',
    },
    notYours: {
      title: 'Questo invito è per un’altra persona',
      text: 'È stato inviato a un indirizzo e-mail diverso da quello con cui hai effettuato l’accesso, oppure è scaduto. Accedi con quell’indirizzo o chiedi un nuovo invito.',
    },
  },
  invitation: {
    subject: '{organization} ti invita',
    text: '{organization} ti invita a lavorare insieme alle ispezioni. Accedi con questo indirizzo e-mail per accettare l’invito:',
    accept: 'Accetta l’invito',
    hint: 'L’invito vale una sola volta e per 7 giorni.',
    ignore: 'Se non conosci {organization}, ignora questa e-mail. Non succederà nulla.',
  },
};

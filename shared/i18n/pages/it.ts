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
  issue: {
    language: 'Lingua',
    changeLanguage: 'Cambia lingua',
    optional: 'facoltativo',
    description: 'Che cosa è successo?',
    descriptionHelp: 'Dica che cosa ha visto e dove.',
    choose: 'Scelga',
    yes: 'Sì',
    no: 'No',
    photos: 'Foto',
    photosHelp: 'Al massimo {n}. Da ogni foto vengono tolti il luogo e l’ora dello scatto.',
    addPhotos: 'Aggiungi foto',
    contact: 'I Suoi recapiti',
    contactHelp: 'Così {organization} può farLe domande o dirLe che cosa è stato fatto.',
    contactRequired:
      'Indichi un indirizzo e-mail o un numero di telefono, perché {organization} possa contattarLa.',
    name: 'Nome',
    email: 'Indirizzo e-mail',
    phone: 'Numero di telefono',
    consent: '{organization} riceve ciò che scrive qui e lo usa per occuparsi della Sua segnalazione.',
    robot: 'Lasci vuoto questo campo',
    send: 'Invia la segnalazione',
    thanks: {
      title: 'Grazie per la segnalazione',
      text: '{organization} l’ha ricevuta. Ha il numero {n}.',
      another: 'Segnala qualcos’altro',
    },
    problems: {
      title: 'Manca qualcosa o c’è un errore',
      required: 'Risponda a questa domanda.',
      description: 'Dica che cosa è successo.',
      long: 'Usi al massimo {n} caratteri.',
      number: 'Inserisca un numero.',
      date: 'Inserisca una data.',
      email: 'Inserisca un indirizzo come name@example.com.',
      contact: 'Inserisca un indirizzo e-mail o un numero di telefono.',
      photo:
        'La foto {n} non può essere letta ed è stata tolta. La aggiunga di nuovo come file JPEG, PNG o WebP.',
      photos: 'Aggiunga al massimo {n} foto.',
      again: 'Controlli la segnalazione e la invii di nuovo.',
      storage:
        'Le foto non possono essere salvate in questo momento. Può inviare la segnalazione senza foto.',
    },
    upload: {
      title: 'Aggiunga foto alla segnalazione',
      notSent: 'La segnalazione non è ancora inviata.',
      added: 'Foto aggiunte: {n}',
      belongsTo: 'La foto mostra',
      general: 'Che cosa è successo',
      choose: 'Scelga una foto: JPEG, PNG o WebP, al massimo {size}',
      add: 'Aggiungi questa foto',
    },
    script: {
      photo: 'Foto {n}',
      sendingPhoto: 'La foto {n} viene inviata',
      sentPhoto: 'La foto {n} è pronta',
      failed: 'La foto {n} non può essere inviata.',
      unreadable: 'Questo file non può essere letto come foto: {name}',
      tooMany: 'Può aggiungere al massimo {n} foto.',
      again: 'Riprova',
      remove: 'Togli la foto {n}',
      sending: 'La segnalazione viene inviata …',
      saved:
        'Non c’è connessione. La segnalazione è salvata su questo dispositivo e verrà inviata appena ci sarà. Può anche riaprire questa pagina più tardi.',
      later:
        'La segnalazione non può essere inviata in questo momento. È salvata su questo dispositivo. Riprovi più tardi.',
      discard: 'Elimina la segnalazione salvata',
    },
  },
  action: {
    asked: '{organization} le chiede di fare questo e di indicare qui quando è fatto.',
    found: 'Che cosa è stato trovato',
    returned: 'Le è stato rimandato',
    progress: 'Foto del lavoro finito finora: {n}',
    note: 'Che cosa è stato fatto?',
    needsPhoto: 'Serve almeno una foto del lavoro finito.',
    finish: 'Continua',
    send: 'Invia, ma non è ancora finito',
    consent: '{organization} riceve ciò che scrive qui.',
    done: 'Segnala come fatto',
    problems: {
      evidence: 'Aggiunga una foto che mostri il lavoro finito.',
      empty: 'Aggiunga una foto o scriva che cosa è stato fatto.',
    },
    sent: {
      title: 'Grazie',
      text: '{organization} ha ricevuto ciò che ha inviato.',
      back: 'Torna all’attività',
    },
    reported: {
      title: 'Questo è segnalato come fatto',
      text: '{organization} lo controlla. Se manca qualcosa, riceverà un’altra e-mail.',
    },
    closed: { title: 'Questa attività è chiusa', text: 'Qui non deve fare altro.' },
  },
  card: {
    title: 'Segnala un problema',
    text: 'Inquadri il codice con la fotocamera del telefono. Non servono né app né account.',
    address: 'Oppure apra questo indirizzo:',
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

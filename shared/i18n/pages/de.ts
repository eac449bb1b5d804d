import type { PageTexts } from './en.ts';

export const de: PageTexts = {
  errors: {
    notFound: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Er ist vielleicht unvollständig, abgelaufen oder zurückgezogen. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
    },
    tooMany: {
      title: 'Zu viele Anfragen',
      text: 'Diese Seite wurde zu oft aufgerufen. Versuchen Sie es später noch einmal.',
    },
    unreadable: {
      title: 'Das Formular konnte nicht gelesen werden',
      text: 'Gehen Sie zurück zur Seite, laden Sie sie neu und senden Sie das Formular noch einmal.',
    },
    unavailable: {
      title: 'Etwas ist schiefgegangen',
      text: 'Die Seite kann gerade nicht angezeigt werden. Versuchen Sie es in einigen Minuten noch einmal.',
    },
  },
  confirm: {
    title: 'Möchten Sie E-Mails von {organization}?',
    text: '{organization} möchte Benachrichtigungen über Inspektionen an {address} senden. Sie entscheiden.',
    yes: 'Ja, senden Sie mir E-Mails',
    no: 'Nein, senden Sie mir keine E-Mails',
    confirmed: {
      title: 'Sie erhalten E-Mails von {organization}',
      text: 'Vielen Dank. Jede E-Mail hat einen Link zum Abbestellen.',
    },
    refused: {
      title: 'Sie erhalten keine E-Mails von {organization}',
      text: 'Ihre Antwort ist gespeichert. An {address} wird nichts gesendet.',
    },
  },
  stop: {
    title: 'E-Mails von {organization} abbestellen?',
    text: 'An {address} wird nichts mehr gesendet: keine Benachrichtigungen und keine Berichte.',
    button: 'Alle E-Mails abbestellen',
    stopped: {
      title: 'Sie erhalten keine E-Mails mehr von {organization}',
      text: 'An {address} wird nichts mehr gesendet. Eine E-Mail, die schon unterwegs ist, kann noch ankommen.',
    },
  },
  share: {
    title: 'Inspektionsbericht',
    number: 'Inspektion',
    name: 'Name',
    date: 'Datum des Berichts',
    pages: 'Seiten',
    size: 'Größe',
    until: 'Dieser Link gilt bis',
    open: 'Bericht öffnen',
    download: 'Bericht herunterladen',
    draft:
      'Dies ist ein Entwurf: Die Inspektion war noch nicht abgeschlossen, als der Bericht erstellt wurde.',
    notReady: {
      title: 'Der Bericht ist noch nicht fertig',
      text: 'Er wird gerade erstellt. Laden Sie diese Seite in einer Minute neu.',
    },
  },
  issue: {
    language: 'Sprache',
    changeLanguage: 'Sprache ändern',
    optional: 'freiwillig',
    description: 'Was ist passiert?',
    descriptionHelp: 'Sagen Sie, was Sie gesehen haben und wo.',
    choose: 'Bitte wählen',
    yes: 'Ja',
    no: 'Nein',
    photos: 'Fotos',
    photosHelp: 'Höchstens {n}. Wo und wann ein Foto aufgenommen wurde, wird daraus entfernt.',
    addPhotos: 'Fotos hinzufügen',
    contact: 'Ihre Kontaktdaten',
    contactHelp: '{organization} kann dann nachfragen oder Ihnen sagen, was unternommen wurde.',
    contactRequired:
      'Geben Sie eine E-Mail-Adresse oder eine Telefonnummer an, damit {organization} Sie erreichen kann.',
    name: 'Name',
    email: 'E-Mail-Adresse',
    phone: 'Telefonnummer',
    consent: '{organization} erhält, was Sie hier eingeben, und verwendet es, um Ihre Meldung zu bearbeiten.',
    robot: 'Lassen Sie dieses Feld leer',
    send: 'Meldung senden',
    thanks: {
      title: 'Danke für Ihre Meldung',
      text: '{organization} hat sie erhalten. Sie hat die Nummer {n}.',
      another: 'Noch etwas melden',
    },
    problems: {
      title: 'Etwas fehlt oder stimmt nicht',
      required: 'Bitte beantworten Sie diese Frage.',
      description: 'Bitte sagen Sie, was passiert ist.',
      long: 'Bitte verwenden Sie höchstens {n} Zeichen.',
      number: 'Bitte geben Sie eine Zahl ein.',
      date: 'Bitte geben Sie ein Datum ein.',
      email: 'Bitte geben Sie eine Adresse wie name@example.com ein.',
      contact: 'Bitte geben Sie eine E-Mail-Adresse oder eine Telefonnummer an.',
      photo:
        'Foto {n} konnte nicht gelesen werden und wurde entfernt. Bitte fügen Sie es als JPEG-, PNG- oder WebP-Datei neu hinzu.',
      photos: 'Bitte fügen Sie höchstens {n} Fotos hinzu.',
      again: 'Bitte prüfen Sie Ihre Meldung und senden Sie sie noch einmal.',
      storage: 'Die Fotos können gerade nicht gespeichert werden. Sie können die Meldung ohne sie senden.',
    },
    upload: {
      title: 'Fotos zu Ihrer Meldung hinzufügen',
      notSent: 'Ihre Meldung ist noch nicht gesendet.',
      added: 'Hinzugefügte Fotos: {n}',
      belongsTo: 'Das Foto zeigt',
      general: 'Was passiert ist',
      choose: 'Wählen Sie ein Foto: JPEG, PNG oder WebP, höchstens {size}',
      add: 'Dieses Foto hinzufügen',
    },
    script: {
      photo: 'Foto {n}',
      sendingPhoto: 'Foto {n} wird gesendet',
      sentPhoto: 'Foto {n} ist bereit',
      failed: 'Foto {n} konnte nicht gesendet werden.',
      unreadable: 'Diese Datei kann nicht als Foto gelesen werden: {name}',
      tooMany: 'Sie können höchstens {n} Fotos hinzufügen.',
      again: 'Noch einmal versuchen',
      remove: 'Foto {n} entfernen',
      sending: 'Ihre Meldung wird gesendet …',
      saved:
        'Es besteht keine Verbindung. Ihre Meldung ist auf diesem Gerät gespeichert und wird gesendet, sobald es eine gibt. Sie können diese Seite auch später wieder öffnen.',
      later:
        'Die Meldung kann gerade nicht gesendet werden. Sie ist auf diesem Gerät gespeichert. Versuchen Sie es später noch einmal.',
      discard: 'Gespeicherte Meldung löschen',
    },
  },
  action: {
    asked: '{organization} bittet Sie, dies zu erledigen und hier zu melden, wenn es erledigt ist.',
    found: 'Was vorgefunden wurde',
    returned: 'Es wurde an Sie zurückgegeben',
    progress: 'Bisherige Fotos der fertigen Arbeit: {n}',
    note: 'Was wurde gemacht?',
    needsPhoto: 'Mindestens ein Foto der fertigen Arbeit ist nötig.',
    finish: 'Weiter',
    send: 'Senden, aber noch nicht fertig',
    consent: '{organization} erhält, was Sie hier eingeben.',
    done: 'Als erledigt melden',
    problems: {
      evidence: 'Bitte fügen Sie ein Foto hinzu, das die fertige Arbeit zeigt.',
      empty: 'Bitte fügen Sie ein Foto hinzu oder schreiben Sie, was gemacht wurde.',
    },
    sent: {
      title: 'Vielen Dank',
      text: '{organization} hat erhalten, was Sie gesendet haben.',
      back: 'Zurück zur Aufgabe',
    },
    reported: {
      title: 'Dies ist als erledigt gemeldet',
      text: '{organization} prüft es. Wenn etwas fehlt, bekommen Sie eine weitere E-Mail.',
    },
    closed: { title: 'Diese Aufgabe ist abgeschlossen', text: 'Sie haben hier nichts mehr zu tun.' },
  },
  card: {
    title: 'Ein Problem melden',
    text: 'Scannen Sie den Code mit der Kamera Ihres Telefons. Sie brauchen keine App und kein Konto.',
    address: 'Oder öffnen Sie diese Adresse:',
  },
  question: {
    subject: '{organization} möchte Ihnen E-Mails senden',
    text: '{organization} möchte Benachrichtigungen über Inspektionen an diese Adresse senden. Möchten Sie sie erhalten? Öffnen Sie diese Seite und wählen Sie Ja oder Nein:',
    answer: 'Antworten',
    ignore: 'Wenn Sie nichts tun, erhalten Sie keine E-Mails von {organization}. Der Link gilt 7 Tage.',
  },
  signIn: {
    again: 'Erneut anmelden',
    failed: {
      title: 'Die Anmeldung konnte nicht abgeschlossen werden',
      text: 'Vielleicht hat sie zu lange gedauert, oder sie wurde in einem anderen Browser begonnen. Beginnen Sie von vorn.',
    },
    noMembership: {
      title: 'Sie sind in keiner Organisation Mitglied',
      text: 'Sie haben sich angemeldet, aber keine Organisation hat Ihre E-Mail-Adresse hinzugefügt. Bitten Sie einen Administrator Ihrer Organisation um eine Einladung.',
    },
    notYours: {
      title: 'Diese Einladung ist für jemand anderen',
      text: 'Sie ging an eine andere E-Mail-Adresse als die, mit der Sie sich angemeldet haben, oder sie ist abgelaufen. Melden Sie sich mit jener Adresse an, oder bitten Sie um eine neue Einladung.',
    },
  },
  invitation: {
    subject: '{organization} lädt Sie ein',
    text: '{organization} lädt Sie ein, gemeinsam an Inspektionen zu arbeiten. Melden Sie sich mit dieser E-Mail-Adresse an, um die Einladung anzunehmen:',
    accept: 'Einladung annehmen',
    hint: 'Die Einladung gilt einmal und 7 Tage lang.',
    ignore: 'Wenn Sie {organization} nicht kennen, ignorieren Sie diese E-Mail. Dann geschieht nichts.',
  },
};

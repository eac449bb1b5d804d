import type { PageTexts } from './en.ts';

export const fr: PageTexts = {
  errors: {
    notFound: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Il est peut-être incomplet, expiré ou retiré. Demandez-en un nouveau à la personne qui vous l’a envoyé.',
    },
    tooMany: {
      title: 'Trop de requêtes',
      text: 'Cette page a été demandée trop souvent. Réessayez plus tard.',
    },
    unreadable: {
      title: 'Le formulaire n’a pas pu être lu',
      text: 'Revenez à la page, rechargez-la et envoyez de nouveau le formulaire.',
    },
    unavailable: {
      title: 'Un problème est survenu',
      text: 'La page ne peut pas être affichée pour le moment. Réessayez dans quelques minutes.',
    },
  },
  confirm: {
    title: 'Voulez-vous recevoir les e-mails de {organization} ?',
    text: '{organization} souhaite envoyer des notifications sur des inspections à {address}. C’est vous qui décidez.',
    yes: 'Oui, envoyez-moi des e-mails',
    no: 'Non, ne m’envoyez pas d’e-mails',
    confirmed: {
      title: 'Vous recevrez les e-mails de {organization}',
      text: 'Merci. Chaque e-mail contient un lien pour ne plus en recevoir.',
    },
    refused: {
      title: 'Vous ne recevrez pas d’e-mails de {organization}',
      text: 'Votre réponse est enregistrée. Rien ne sera envoyé à {address}.',
    },
  },
  stop: {
    title: 'Ne plus recevoir les e-mails de {organization} ?',
    text: 'Plus rien ne sera envoyé à {address} : ni notifications ni rapports.',
    button: 'Arrêter tous les e-mails',
    stopped: {
      title: 'Vous ne recevrez plus d’e-mails de {organization}',
      text: 'Plus rien ne sera envoyé à {address}. Un e-mail déjà parti peut encore arriver.',
    },
  },
  share: {
    title: 'Rapport d’inspection',
    number: 'Inspection',
    name: 'Nom',
    date: 'Date du rapport',
    pages: 'Pages',
    size: 'Taille',
    until: 'Ce lien est valable jusqu’au',
    open: 'Ouvrir le rapport',
    download: 'Télécharger le rapport',
    draft: 'Ceci est un brouillon : l’inspection n’était pas terminée lorsque le rapport a été créé.',
    notReady: {
      title: 'Le rapport n’est pas encore prêt',
      text: 'Il est en préparation. Rechargez cette page dans une minute.',
    },
  },
  issue: {
    language: 'Langue',
    changeLanguage: 'Changer de langue',
    optional: 'facultatif',
    description: 'Que s’est-il passé ?',
    descriptionHelp: 'Dites ce que vous avez vu, et où.',
    choose: 'Veuillez choisir',
    yes: 'Oui',
    no: 'Non',
    photos: 'Photos',
    photosHelp: '{n} au plus. Le lieu et le moment de la prise de vue sont supprimés de chaque photo.',
    addPhotos: 'Ajouter des photos',
    contact: 'Vos coordonnées',
    contactHelp: '{organization} pourra ainsi vous poser une question ou vous dire ce qui a été fait.',
    contactRequired:
      'Indiquez une adresse e-mail ou un numéro de téléphone, pour que {organization} puisse vous joindre.',
    name: 'Nom',
    email: 'Adresse e-mail',
    phone: 'Numéro de téléphone',
    consent: '{organization} reçoit ce que vous saisissez ici et s’en sert pour traiter votre signalement.',
    robot: 'Laissez ce champ vide',
    send: 'Envoyer le signalement',
    thanks: {
      title: 'Merci de votre signalement',
      text: '{organization} l’a reçu. Il porte le numéro {n}.',
      another: 'Signaler autre chose',
    },
    problems: {
      title: 'Il manque quelque chose ou il y a une erreur',
      required: 'Veuillez répondre à cette question.',
      description: 'Veuillez dire ce qui s’est passé.',
      long: 'Veuillez utiliser au plus {n} caractères.',
      number: 'Veuillez saisir un nombre.',
      date: 'Veuillez saisir une date.',
      email: 'Veuillez saisir une adresse comme name@example.com.',
      contact: 'Veuillez indiquer une adresse e-mail ou un numéro de téléphone.',
      photo:
        'La photo {n} n’a pas pu être lue et a été retirée. Veuillez l’ajouter de nouveau au format JPEG, PNG ou WebP.',
      photos: 'Veuillez ajouter au plus {n} photos.',
      again: 'Veuillez vérifier votre signalement et l’envoyer de nouveau.',
      storage:
        'Les photos ne peuvent pas être enregistrées pour le moment. Vous pouvez envoyer le signalement sans elles.',
    },
    upload: {
      title: 'Ajouter des photos à votre signalement',
      notSent: 'Votre signalement n’est pas encore envoyé.',
      added: 'Photos ajoutées : {n}',
      belongsTo: 'La photo montre',
      general: 'Ce qui s’est passé',
      choose: 'Choisissez une photo : JPEG, PNG ou WebP, {size} au plus',
      add: 'Ajouter cette photo',
    },
    script: {
      photo: 'Photo {n}',
      sendingPhoto: 'La photo {n} est en cours d’envoi',
      sentPhoto: 'La photo {n} est prête',
      failed: 'La photo {n} n’a pas pu être envoyée.',
      unreadable: 'Ce fichier ne peut pas être lu comme une photo : {name}',
      tooMany: 'Vous pouvez ajouter au plus {n} photos.',
      again: 'Réessayer',
      remove: 'Retirer la photo {n}',
      sending: 'Votre signalement est en cours d’envoi …',
      saved:
        'Il n’y a pas de connexion. Votre signalement est enregistré sur cet appareil et sera envoyé dès qu’il y en aura une. Vous pouvez aussi rouvrir cette page plus tard.',
      later:
        'Le signalement ne peut pas être envoyé pour le moment. Il est enregistré sur cet appareil. Réessayez plus tard.',
      discard: 'Supprimer le signalement enregistré',
    },
  },
  action: {
    asked: '{organization} vous demande de faire ceci et d’indiquer ici quand c’est terminé.',
    found: 'Ce qui a été constaté',
    returned: 'Cela vous a été renvoyé',
    progress: 'Photos du travail terminé jusqu’à présent : {n}',
    note: 'Qu’est-ce qui a été fait ?',
    needsPhoto: 'Il faut au moins une photo du travail terminé.',
    finish: 'Continuer',
    send: 'Envoyer, mais ce n’est pas encore terminé',
    consent: '{organization} reçoit ce que vous saisissez ici.',
    done: 'Signaler comme terminé',
    problems: {
      evidence: 'Ajoutez une photo qui montre le travail terminé.',
      empty: 'Ajoutez une photo ou indiquez ce qui a été fait.',
    },
    sent: {
      title: 'Merci',
      text: '{organization} a reçu ce que vous avez envoyé.',
      back: 'Retour à la tâche',
    },
    reported: {
      title: 'Ceci est signalé comme terminé',
      text: '{organization} le vérifie. S’il manque quelque chose, vous recevrez un autre e-mail.',
    },
    closed: { title: 'Cette tâche est close', text: 'Vous n’avez plus rien à faire ici.' },
  },
  card: {
    title: 'Signaler un problème',
    text: 'Scannez le code avec l’appareil photo de votre téléphone. Vous n’avez besoin ni d’application ni de compte.',
    address: 'Ou ouvrez cette adresse :',
  },
  question: {
    subject: '{organization} souhaite vous envoyer des e-mails',
    text: '{organization} souhaite envoyer des notifications sur des inspections à cette adresse. Voulez-vous les recevoir ? Ouvrez cette page et choisissez oui ou non :',
    answer: 'Répondre',
    ignore:
      'Si vous ne faites rien, vous ne recevrez pas d’e-mails de {organization}. Ce lien est valable 7 jours.',
  },
  signIn: {
    again: 'Se reconnecter',
    failed: {
      title: 'La connexion n’a pas pu aboutir',
      text: 'Elle a peut-être pris trop de temps, ou elle a été commencée dans un autre navigateur. Recommencez.',
    },
    noMembership: {
      title: 'Vous n’êtes membre d’aucune organisation',
      text: 'Vous êtes connecté, mais aucune organisation n’a ajouté votre adresse e-mail. Demandez une invitation à un administrateur de votre organisation.',
    },
    notYours: {
      title: 'Cette invitation est destinée à quelqu’un d’autre',
      text: 'Elle a été envoyée à une autre adresse e-mail que celle avec laquelle vous vous êtes connecté, ou elle a expiré. Connectez-vous avec cette adresse, ou demandez une nouvelle invitation.',
    },
  },
  invitation: {
    subject: '{organization} vous invite',
    text: '{organization} vous invite à travailler ensemble sur des inspections. Connectez-vous avec cette adresse e-mail pour accepter l’invitation :',
    accept: 'Accepter l’invitation',
    hint: 'L’invitation est valable une seule fois, pendant 7 jours.',
    ignore: 'Si vous ne connaissez pas {organization}, ignorez cet e-mail. Il ne se passera rien.',
  },
};

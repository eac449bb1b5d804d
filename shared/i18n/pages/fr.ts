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

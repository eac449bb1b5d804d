import type { PageTexts } from './en.ts';

export const pt: PageTexts = {
  errors: {
    notFound: {
      title: 'Este link não funciona',
      text: 'Pode estar incompleto, ter expirado ou ter sido retirado. Peça um novo à pessoa que o enviou.',
    },
    tooMany: {
      title: 'Demasiados pedidos',
      text: 'Esta página foi pedida demasiadas vezes. Tente novamente mais tarde.',
    },
    unreadable: {
      title: 'Não foi possível ler o formulário',
      text: 'Volte à página, carregue-a de novo e envie o formulário outra vez.',
    },
    unavailable: {
      title: 'Algo correu mal',
      text: 'A página não pode ser mostrada neste momento. Tente novamente dentro de alguns minutos.',
    },
  },
  confirm: {
    title: 'Quer receber e-mails de {organization}?',
    text: '{organization} quer enviar notificações sobre inspeções para {address}. A decisão é sua.',
    yes: 'Sim, enviem-me e-mails',
    no: 'Não, não me enviem e-mails',
    confirmed: {
      title: 'Vai receber e-mails de {organization}',
      text: 'Obrigado. Cada e-mail tem um link para deixar de os receber.',
    },
    refused: {
      title: 'Não vai receber e-mails de {organization}',
      text: 'A sua resposta foi guardada. Nada será enviado para {address}.',
    },
  },
  stop: {
    title: 'Deixar de receber e-mails de {organization}?',
    text: 'Nada mais será enviado para {address}: nem notificações nem relatórios.',
    button: 'Parar todos os e-mails',
    stopped: {
      title: 'Não vai receber mais e-mails de {organization}',
      text: 'Nada mais será enviado para {address}. Um e-mail que já está a caminho ainda pode chegar.',
    },
  },
  share: {
    title: 'Relatório de inspeção',
    number: 'Inspeção',
    name: 'Nome',
    date: 'Data do relatório',
    pages: 'Páginas',
    size: 'Tamanho',
    until: 'Este link funciona até',
    open: 'Abrir o relatório',
    download: 'Transferir o relatório',
    draft: 'Isto é um rascunho: a inspeção não estava concluída quando o relatório foi feito.',
    notReady: {
      title: 'O relatório ainda não está pronto',
      text: 'Está a ser preparado. Volte a carregar esta página dentro de um minuto.',
    },
  },
  issue: {
    language: 'Idioma',
    changeLanguage: 'Mudar de idioma',
    optional: 'opcional',
    description: 'O que aconteceu?',
    descriptionHelp: 'Diga o que viu e onde.',
    choose: 'Escolha',
    yes: 'Sim',
    no: 'Não',
    photos: 'Fotografias',
    photosHelp: 'No máximo {n}. O local e a hora em que foi tirada são removidos de cada fotografia.',
    addPhotos: 'Adicionar fotografias',
    contact: 'Os seus contactos',
    contactHelp: 'Assim, {organization} pode perguntar-lhe algo ou dizer-lhe o que foi feito.',
    contactRequired:
      'Indique um endereço de e-mail ou um número de telefone, para que {organization} possa contactar consigo.',
    name: 'Nome',
    email: 'Endereço de e-mail',
    phone: 'Número de telefone',
    consent: '{organization} recebe o que escrever aqui e usa-o para tratar da sua comunicação.',
    robot: 'Deixe este campo vazio',
    send: 'Enviar a comunicação',
    thanks: {
      title: 'Obrigado pela sua comunicação',
      text: '{organization} recebeu-a. Tem o número {n}.',
      another: 'Comunicar outra coisa',
    },
    problems: {
      title: 'Falta algo ou há um erro',
      required: 'Responda a esta pergunta.',
      description: 'Diga o que aconteceu.',
      long: 'Use no máximo {n} caracteres.',
      number: 'Escreva um número.',
      date: 'Escreva uma data.',
      email: 'Escreva um endereço como name@example.com.',
      contact: 'Indique um endereço de e-mail ou um número de telefone.',
      photo:
        'Não foi possível ler a fotografia {n}, que foi removida. Adicione-a de novo como ficheiro JPEG, PNG ou WebP.',
      photos: 'Adicione no máximo {n} fotografias.',
      again: 'Verifique a sua comunicação e envie-a outra vez.',
      storage: 'De momento, não é possível guardar as fotografias. Pode enviar a comunicação sem elas.',
    },
    upload: {
      title: 'Adicionar fotografias à sua comunicação',
      notSent: 'A sua comunicação ainda não foi enviada.',
      added: 'Fotografias adicionadas: {n}',
      belongsTo: 'A fotografia mostra',
      general: 'O que aconteceu',
      choose: 'Escolha uma fotografia: JPEG, PNG ou WebP, no máximo {size}',
      add: 'Adicionar esta fotografia',
    },
    script: {
      photo: 'Fotografia {n}',
      sendingPhoto: 'A fotografia {n} está a ser enviada',
      sentPhoto: 'A fotografia {n} está pronta',
      failed: 'Não foi possível enviar a fotografia {n}.',
      unreadable: 'Não é possível ler este ficheiro como fotografia: {name}',
      tooMany: 'Pode adicionar no máximo {n} fotografias.',
      again: 'Tentar de novo',
      remove: 'Remover a fotografia {n}',
      sending: 'A sua comunicação está a ser enviada …',
      saved:
        'Não há ligação. A sua comunicação está guardada neste dispositivo e será enviada assim que houver. Também pode voltar a abrir esta página mais tarde.',
      later:
        'De momento, não é possível enviar a comunicação. Está guardada neste dispositivo. Tente mais tarde.',
      discard: 'Eliminar a comunicação guardada',
    },
  },
  card: {
    title: 'Comunicar um problema',
    text: 'Leia o código com a câmara do seu telefone. Não precisa de aplicação nem de conta.',
    address: 'Ou abra este endereço:',
  },
  question: {
    subject: '{organization} quer enviar-lhe e-mails',
    text: '{organization} quer enviar notificações sobre inspeções para este endereço. Quer recebê-las? Abra esta página e escolha sim ou não:',
    answer: 'Responder',
    ignore: 'Se não fizer nada, não receberá e-mails de {organization}. Este link funciona durante 7 dias.',
  },
  signIn: {
    again: 'Iniciar sessão novamente',
    failed: {
      title: 'Não foi possível concluir o início de sessão',
      text: 'Pode ter demorado demasiado tempo ou ter começado noutro navegador. Comece de novo.',
    },
    noMembership: {
      title: 'Não é membro de nenhuma organização',
      text: 'Iniciou sessão, mas nenhuma organização adicionou o seu endereço de e-mail. Peça um convite a um administrador da sua organização.',
    },
    notYours: {
      title: 'Este convite é para outra pessoa',
      text: 'Foi enviado para um endereço de e-mail diferente daquele com que iniciou sessão, ou expirou. Inicie sessão com esse endereço ou peça um novo convite.',
    },
  },
  invitation: {
    subject: '{organization} convida-o',
    text: '{organization} convida-o a trabalhar em conjunto em inspeções. Inicie sessão com este endereço de e-mail para aceitar o convite:',
    accept: 'Aceitar o convite',
    hint: 'O convite funciona uma só vez, durante 7 dias.',
    ignore: 'Se não conhece {organization}, ignore este e-mail. Nada acontece nesse caso.',
  },
};

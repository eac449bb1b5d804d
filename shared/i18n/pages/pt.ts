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

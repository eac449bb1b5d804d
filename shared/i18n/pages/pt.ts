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
};

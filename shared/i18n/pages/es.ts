import type { PageTexts } from './en.ts';

export const es: PageTexts = {
  errors: {
    notFound: {
      title: 'Este enlace no funciona',
      text: 'Puede estar incompleto, haber caducado o haber sido retirado. Pida uno nuevo a la persona que se lo envió.',
    },
    tooMany: {
      title: 'Demasiadas solicitudes',
      text: 'Esta página se ha pedido demasiadas veces. Vuelva a intentarlo más tarde.',
    },
    unreadable: {
      title: 'No se pudo leer el formulario',
      text: 'Vuelva a la página, cárguela de nuevo y envíe el formulario otra vez.',
    },
    unavailable: {
      title: 'Algo ha fallado',
      text: 'La página no se puede mostrar en este momento. Vuelva a intentarlo en unos minutos.',
    },
  },
  confirm: {
    title: '¿Quiere recibir correos de {organization}?',
    text: '{organization} quiere enviar avisos sobre inspecciones a {address}. Usted decide.',
    yes: 'Sí, envíenme correos',
    no: 'No, no me envíen correos',
    confirmed: {
      title: 'Recibirá correos de {organization}',
      text: 'Gracias. Cada correo tiene un enlace para dejar de recibirlos.',
    },
    refused: {
      title: 'No recibirá correos de {organization}',
      text: 'Su respuesta se ha guardado. No se enviará nada a {address}.',
    },
  },
  stop: {
    title: '¿Dejar de recibir correos de {organization}?',
    text: 'No se enviará nada más a {address}: ni avisos ni informes.',
    button: 'Dejar de recibir correos',
    stopped: {
      title: 'No recibirá más correos de {organization}',
      text: 'No se enviará nada más a {address}. Un correo que ya está en camino todavía puede llegar.',
    },
  },
  share: {
    title: 'Informe de inspección',
    number: 'Inspección',
    name: 'Nombre',
    date: 'Fecha del informe',
    pages: 'Páginas',
    size: 'Tamaño',
    until: 'Este enlace funciona hasta el',
    open: 'Abrir el informe',
    download: 'Descargar el informe',
    draft: 'Esto es un borrador: la inspección no estaba terminada cuando se hizo el informe.',
    notReady: {
      title: 'El informe aún no está listo',
      text: 'Se está preparando. Vuelva a cargar esta página en un minuto.',
    },
  },
  question: {
    subject: '{organization} quiere enviarle correos',
    text: '{organization} quiere enviar avisos sobre inspecciones a esta dirección. ¿Quiere recibirlos? Abra esta página y elija sí o no:',
    answer: 'Responder',
    ignore: 'Si no hace nada, no recibirá correos de {organization}. Este enlace funciona durante 7 días.',
  },
  signIn: {
    again: 'Volver a iniciar sesión',
    failed: {
      title: 'No se pudo completar el inicio de sesión',
      text: 'Puede que haya tardado demasiado o que se iniciara en otro navegador. Empiece de nuevo.',
    },
    noMembership: {
      title: 'No es miembro de ninguna organización',
      text: 'Ha iniciado sesión, pero ninguna organización ha añadido su dirección de correo. Pida una invitación a un administrador de su organización.',
    },
    notYours: {
      title: 'Esta invitación es para otra persona',
      text: 'Se envió a una dirección de correo distinta de la que usó para iniciar sesión, o ha caducado. Inicie sesión con esa dirección o pida una nueva invitación.',
    },
  },
  invitation: {
    subject: '{organization} le invita',
    text: '{organization} le invita a trabajar en inspecciones de forma conjunta. Inicie sesión con esta dirección de correo para aceptar la invitación:',
    accept: 'Aceptar la invitación',
    hint: 'La invitación funciona una sola vez y durante 7 días.',
    ignore: 'Si no conoce {organization}, ignore este correo. No ocurrirá nada.',
  },
};

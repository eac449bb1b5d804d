import type { PageTexts } from './en.ts';

export const pl: PageTexts = {
  errors: {
    notFound: {
      title: 'Ten link nie działa',
      text: 'Może być niepełny, mógł wygasnąć albo zostać wycofany. Poproś o nowy osobę, od której go masz.',
    },
    tooMany: {
      title: 'Zbyt wiele żądań',
      text: 'Tę stronę otwierano zbyt często. Spróbuj ponownie później.',
    },
    unreadable: {
      title: 'Nie udało się odczytać formularza',
      text: 'Wróć na stronę, wczytaj ją ponownie i wyślij formularz jeszcze raz.',
    },
    unavailable: {
      title: 'Coś poszło nie tak',
      text: 'Nie można teraz wyświetlić strony. Spróbuj ponownie za kilka minut.',
    },
  },
  confirm: {
    title: 'Czy chcesz otrzymywać e-maile od {organization}?',
    text: '{organization} chce wysyłać powiadomienia o inspekcjach na adres {address}. Decyzja należy do Ciebie.',
    yes: 'Tak, chcę otrzymywać e-maile',
    no: 'Nie, nie chcę e-maili',
    confirmed: {
      title: 'Będziesz otrzymywać e-maile od {organization}',
      text: 'Dziękujemy. Każdy e-mail zawiera link do rezygnacji.',
    },
    refused: {
      title: 'Nie będziesz otrzymywać e-maili od {organization}',
      text: 'Odpowiedź została zapisana. Na adres {address} nic nie zostanie wysłane.',
    },
  },
  stop: {
    title: 'Zrezygnować z e-maili od {organization}?',
    text: 'Na adres {address} nic więcej nie zostanie wysłane: ani powiadomienia, ani raporty.',
    button: 'Rezygnuję ze wszystkich e-maili',
    stopped: {
      title: 'Nie będziesz już otrzymywać e-maili od {organization}',
      text: 'Na adres {address} nic więcej nie zostanie wysłane. E-mail, który jest już w drodze, może jeszcze dotrzeć.',
    },
  },
  share: {
    title: 'Raport z inspekcji',
    number: 'Inspekcja',
    name: 'Nazwa',
    date: 'Data raportu',
    pages: 'Strony',
    size: 'Rozmiar',
    until: 'Ten link działa do',
    open: 'Otwórz raport',
    download: 'Pobierz raport',
    draft: 'To jest wersja robocza: inspekcja nie była zakończona, gdy powstał raport.',
    notReady: {
      title: 'Raport nie jest jeszcze gotowy',
      text: 'Jest przygotowywany. Wczytaj tę stronę ponownie za minutę.',
    },
  },
  question: {
    subject: '{organization} chce wysyłać Ci e-maile',
    text: '{organization} chce wysyłać powiadomienia o inspekcjach na ten adres. Czy chcesz je otrzymywać? Otwórz tę stronę i wybierz tak lub nie:',
    answer: 'Odpowiedz',
    ignore: 'Jeśli nic nie zrobisz, nie otrzymasz e-maili od {organization}. Ten link działa przez 7 dni.',
  },
  signIn: {
    again: 'Zaloguj się ponownie',
    failed: {
      title: 'Nie udało się zakończyć logowania',
      text: 'Mogło trwać zbyt długo albo zostało rozpoczęte w innej przeglądarce. Zacznij od nowa.',
    },
    noMembership: {
      title: 'Nie należysz do żadnej organizacji',
      text: 'Logowanie się powiodło, ale żadna organizacja nie dodała Twojego adresu e-mail. Poproś administratora swojej organizacji o zaproszenie.',
    },
    notYours: {
      title: 'To zaproszenie jest dla kogoś innego',
      text: 'Wysłano je na inny adres e-mail niż ten, którego użyto do logowania, albo wygasło. Zaloguj się tamtym adresem lub poproś o nowe zaproszenie.',
    },
  },
  invitation: {
    subject: '{organization} zaprasza Cię',
    text: '{organization} zaprasza Cię do wspólnej pracy nad inspekcjami. Zaloguj się tym adresem e-mail, aby przyjąć zaproszenie:',
    accept: 'Przyjmij zaproszenie',
    hint: 'Zaproszenie działa jeden raz, przez 7 dni.',
    ignore: 'Jeśli nie znasz {organization}, zignoruj tę wiadomość. Nic się wtedy nie stanie.',
  },
};

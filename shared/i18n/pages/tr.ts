import type { PageTexts } from './en.ts';

export const tr: PageTexts = {
  errors: {
    notFound: {
      title: 'Bu bağlantı çalışmıyor',
      text: 'Eksik olabilir, süresi dolmuş veya geri alınmış olabilir. Size gönderen kişiden yenisini isteyin.',
    },
    tooMany: { title: 'Çok fazla istek', text: 'Bu sayfa çok sık istendi. Daha sonra yeniden deneyin.' },
    unreadable: {
      title: 'Form okunamadı',
      text: 'Sayfaya geri dönün, yeniden yükleyin ve formu bir kez daha gönderin.',
    },
    unavailable: {
      title: 'Bir sorun oluştu',
      text: 'Sayfa şu anda gösterilemiyor. Birkaç dakika sonra yeniden deneyin.',
    },
  },
  confirm: {
    title: '{organization} size e-posta göndersin mi?',
    text: '{organization}, denetimlerle ilgili bildirimleri {address} adresine göndermek istiyor. Karar sizin.',
    yes: 'Evet, bana e-posta gönderilsin',
    no: 'Hayır, bana e-posta gönderilmesin',
    confirmed: {
      title: '{organization} size e-posta gönderecek',
      text: 'Teşekkürler. Her e-postada almayı durdurmak için bir bağlantı vardır.',
    },
    refused: {
      title: '{organization} size e-posta göndermeyecek',
      text: 'Yanıtınız kaydedildi. {address} adresine hiçbir şey gönderilmeyecek.',
    },
  },
  stop: {
    title: '{organization} e-postaları durdurulsun mu?',
    text: '{address} adresine artık hiçbir şey gönderilmeyecek: ne bildirim ne rapor.',
    button: 'Tüm e-postaları durdur',
    stopped: {
      title: '{organization} size artık e-posta göndermeyecek',
      text: '{address} adresine artık hiçbir şey gönderilmeyecek. Yolda olan bir e-posta yine de gelebilir.',
    },
  },
  share: {
    title: 'Denetim raporu',
    number: 'Denetim',
    name: 'Ad',
    date: 'Rapor tarihi',
    pages: 'Sayfa sayısı',
    size: 'Boyut',
    until: 'Bağlantının geçerli olduğu son tarih',
    open: 'Raporu aç',
    download: 'Raporu indir',
    draft: 'Bu bir taslaktır: rapor hazırlandığında denetim tamamlanmamıştı.',
    notReady: {
      title: 'Rapor henüz hazır değil',
      text: 'Hazırlanıyor. Bu sayfayı bir dakika sonra yeniden yükleyin.',
    },
  },
  question: {
    subject: '{organization} size e-posta göndermek istiyor',
    text: '{organization}, denetimlerle ilgili bildirimleri bu adrese göndermek istiyor. Almak ister misiniz? Bu sayfayı açın ve evet ya da hayır seçin:',
    answer: 'Yanıtla',
    ignore: 'Hiçbir şey yapmazsanız {organization} size e-posta göndermez. Bu bağlantı 7 gün geçerlidir.',
  },
  signIn: {
    again: 'Yeniden oturum aç',
    failed: {
      title: 'Oturum açma tamamlanamadı',
      text: 'Çok uzun sürmüş veya başka bir tarayıcıda başlatılmış olabilir. Yeniden başlayın.',
    },
    noMembership: {
      title: 'Hiçbir kuruluşun üyesi değilsiniz',
      text: 'Oturum açtınız, ancak hiçbir kuruluş e-posta adresinizi eklemedi. Kuruluşunuzun bir yöneticisinden davet isteyin.',
    },
    notYours: {
      title: 'Bu davet başka biri için',
      text: 'Oturum açtığınız adresten farklı bir e-posta adresine gönderildi veya süresi doldu. O adresle oturum açın ya da yeni bir davet isteyin.',
    },
  },
  invitation: {
    subject: '{organization} sizi davet ediyor',
    text: '{organization} sizi denetimlerde birlikte çalışmaya davet ediyor. Daveti kabul etmek için bu e-posta adresiyle oturum açın:',
    accept: 'Daveti kabul et',
    hint: 'Davet bir kez ve 7 gün boyunca geçerlidir.',
    ignore: '{organization} kuruluşunu tanımıyorsanız bu e-postayı dikkate almayın. Hiçbir şey olmaz.',
  },
};

import type { PageTexts } from './en.ts';

export const ja: PageTexts = {
  errors: {
    notFound: {
      title: 'このリンクは使えません',
      text: 'リンクが不完全か、期限切れか、取り消された可能性があります。送信者に新しいリンクを依頼してください。',
    },
    tooMany: {
      title: 'リクエストが多すぎます',
      text: 'このページへのアクセスが多すぎます。しばらくしてからもう一度お試しください。',
    },
    unreadable: {
      title: 'フォームを読み取れませんでした',
      text: 'ページに戻って再読み込みし、もう一度フォームを送信してください。',
    },
    unavailable: {
      title: '問題が発生しました',
      text: '現在ページを表示できません。数分後にもう一度お試しください。',
    },
  },
  confirm: {
    title: '{organization} からのメールを受け取りますか？',
    text: '{organization} が、点検に関する通知を {address} に送ることを希望しています。受け取るかどうかをお選びください。',
    yes: 'はい、メールを受け取ります',
    no: 'いいえ、メールを受け取りません',
    confirmed: {
      title: '{organization} からのメールが届きます',
      text: 'ありがとうございます。すべてのメールに配信停止のリンクがあります。',
    },
    refused: {
      title: '{organization} からのメールは届きません',
      text: '回答を保存しました。{address} には何も送信されません。',
    },
  },
  stop: {
    title: '{organization} からのメールを停止しますか？',
    text: '今後 {address} には、通知も報告書も送信されません。',
    button: 'すべてのメールを停止する',
    stopped: {
      title: '{organization} からのメールは今後届きません',
      text: '今後 {address} には何も送信されません。すでに送信済みのメールは届くことがあります。',
    },
  },
  share: {
    title: '点検報告書',
    number: '点検',
    name: '名称',
    date: '報告書の日付',
    pages: 'ページ数',
    size: 'サイズ',
    until: 'リンクの有効期限',
    open: '報告書を開く',
    download: '報告書をダウンロード',
    draft: 'これは下書きです。報告書の作成時点で点検は完了していませんでした。',
    notReady: {
      title: '報告書はまだ準備できていません',
      text: '準備中です。1分後にこのページを再読み込みしてください。',
    },
  },
  question: {
    subject: '{organization} がメールの送信を希望しています',
    text: '{organization} が、点検に関する通知をこのアドレスに送ることを希望しています。受け取りますか？ このページを開いて、「はい」か「いいえ」を選んでください：',
    answer: '回答する',
    ignore: '何もしなければ、{organization} からのメールは届きません。このリンクの有効期間は7日間です。',
  },
  signIn: {
    again: 'もう一度サインインする',
    failed: {
      title: 'サインインを完了できませんでした',
      text: '時間がかかりすぎたか、別のブラウザーで始められた可能性があります。最初からやり直してください。',
    },
    noMembership: {
      title: 'どの組織のメンバーでもありません',
      text: 'サインインしましたが、あなたのメールアドレスを追加した組織はありません。所属組織の管理者に招待を依頼してください。',
    },
    notYours: {
      title: 'この招待は別の方宛てです',
      text: 'サインインに使ったものとは別のメールアドレスに送られたか、有効期限が切れています。そのアドレスでサインインするか、新しい招待を依頼してください。',
    },
  },
  invitation: {
    subject: '{organization} からの招待',
    text: '{organization} が、検査の作業にあなたを招待しています。招待を受けるには、このメールアドレスでサインインしてください。',
    accept: '招待を受ける',
    hint: '招待は 1 回だけ、7 日間有効です。',
    ignore: '{organization} に心当たりがない場合は、このメールを無視してください。何も起こりません。',
  },
};

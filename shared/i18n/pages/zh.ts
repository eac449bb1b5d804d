import type { PageTexts } from './en.ts';

export const zh: PageTexts = {
  errors: {
    notFound: { title: '此链接无法使用', text: '它可能不完整、已过期或已被撤回。请向发送者索取新的链接。' },
    tooMany: { title: '请求过多', text: '此页面被请求的次数过多。请稍后再试。' },
    unreadable: { title: '无法读取表单', text: '请返回该页面，重新加载，然后再次提交表单。' },
    unavailable: { title: '出现问题', text: '目前无法显示此页面。请几分钟后再试。' },
  },
  confirm: {
    title: '您想接收来自 {organization} 的电子邮件吗？',
    text: '{organization} 希望向 {address} 发送有关检查的通知。由您决定。',
    yes: '是，请给我发送邮件',
    no: '否，不要给我发送邮件',
    confirmed: { title: '您将收到来自 {organization} 的邮件', text: '谢谢。每封邮件都有停止接收的链接。' },
    refused: {
      title: '您不会收到来自 {organization} 的邮件',
      text: '您的回答已保存。不会向 {address} 发送任何内容。',
    },
  },
  stop: {
    title: '停止接收来自 {organization} 的邮件？',
    text: '不会再向 {address} 发送任何内容，包括通知和报告。',
    button: '停止所有邮件',
    stopped: {
      title: '您不会再收到来自 {organization} 的邮件',
      text: '不会再向 {address} 发送任何内容。已经发出的邮件可能仍会送达。',
    },
  },
  share: {
    title: '检查报告',
    number: '检查',
    name: '名称',
    date: '报告日期',
    pages: '页数',
    size: '大小',
    until: '此链接的有效期至',
    open: '打开报告',
    download: '下载报告',
    draft: '这是草稿：生成报告时检查尚未完成。',
    notReady: { title: '报告尚未准备好', text: '报告正在准备中。请一分钟后重新加载此页面。' },
  },
  question: {
    subject: '{organization} 希望向您发送邮件',
    text: '{organization} 希望向此地址发送有关检查的通知。您想接收吗？请打开此页面并选择是或否：',
    answer: '回答',
    ignore: '如果您不做任何操作，就不会收到来自 {organization} 的邮件。此链接有效期为 7 天。',
  },
  signIn: {
    again: '重新登录',
    failed: {
      title: '无法完成登录',
      text: '可能耗时过长，或者是在另一个浏览器中开始的。请重新开始。',
    },
    noMembership: {
      title: '您不是任何组织的成员',
      text: '您已登录，但没有组织添加您的电子邮件地址。请向您所在组织的管理员索取邀请。',
    },
    notYours: {
      title: '此邀请是发给别人的',
      text: '它发送到的电子邮件地址与您登录时使用的不同，或者已失效。请使用该地址登录，或索取新的邀请。',
    },
  },
  invitation: {
    subject: '{organization} 邀请您',
    text: '{organization} 邀请您共同参与检查工作。请使用此电子邮件地址登录以接受邀请：',
    accept: '接受邀请',
    hint: '邀请只能使用一次，有效期为 7 天。',
    ignore: '如果您不认识 {organization}，请忽略此邮件，不会发生任何事情。',
  },
};

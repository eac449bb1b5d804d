import { mailboxOf } from '../../../shared/base/text.ts';
import { plainText } from '../../../shared/domain/notifications/text.ts';

test.each([
  ['Tighten to 3.5 bar at 10:30, see no. 4.', 'Tighten to 3.5 bar at 10:30, see no. 4.'],
  ['https://evil.example/pay', 'https: //evil. example/pay'],
  ['http://127.0.0.1/pay', 'http: //127.0.0.1/pay'],
  ['www.evil.example or mailto:me@evil.example', 'www. evil. example or mailto: me@evil. example'],
  ['evil\u3002example and evil\uff0eexample', 'evil\u3002 example and evil\uff0e example'],
  ['one\r\ntwo\u2028three\u0085four', 'one\ntwo\nthree\nfour'],
  ['a\u202eb\u200bc', 'a b c'],
  ['', ''],
])('%j is %j in a mail to a stranger', (text, plain) => expect(plainText(text)).toBe(plain));

test('a long text is cut', () => {
  expect(plainText('x'.repeat(1_000))).toBe(`${'x'.repeat(499)}…`);
});

test.each([
  ['Ana+Work@Client.example', 'ana@client.example'],
  ['ana+a+b@client.example', 'ana@client.example'],
  ['ana@client.example', 'ana@client.example'],
  ['+ana@client.example', '+ana@client.example'],
  ['\u212Aim+x@client.example', '\u212Aim@client.example'],
])('%s belongs to the mailbox %s', (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));

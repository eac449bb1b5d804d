import { commands } from '../../../infra/operator/commands.ts';
import { help, unknownCommand, usageOf } from '../../../infra/operator/help.ts';
import { operator, operatorWithin } from '../../support/processes/operator.ts';

describe('the operator’s help', () => {
  test('marks what may be left out, and says what a value is', () => {
    expect(usageOf('member add', commands['member add'].options)).toBe(
      'member add --org <id> --name <text> --email <email> --role <admin|approver|inspector> [--no-consent]',
    );
    expect(help()).toContain('[--max-storage-gb <number>]');
  });

  test('offers the command that is nearest', () => {
    expect(unknownCommand('orgs creat')).toMatch(/^unknown command orgs creat; did you mean org create\?\n/);
    expect(unknownCommand('xyz')).toMatch(/^unknown command xyz\n/);
  });

  test.each([
    [
      'key create --org x --access foo',
      [
        '--org: it must be an id, such as',
        '--name is missing',
        '--access: it must be read_write or read_only',
      ],
    ],
    ['key create --acces read_only', ['unknown option --acces; did you mean --access?']],
    ['key create --org', ['--org needs a value']],
    ['org create --admin-email nobody', ['--name is missing', '--admin-email: it must be an email address']],
    ['orgs create', ['unknown command orgs create; did you mean org create?']],
  ])('says what is wrong in %s, in plain words', async (line, said) => {
    const { code, complained } = await operatorWithin(...line.split(' '));
    expect(code).toBe(2);
    for (const text of said) expect(complained).toContain(text);
    expect(complained).not.toMatch(/Error:|Invalid|expected/);
  });

  test('says it as a process, whose exit code tells of it', async () => {
    const { code, out, complained } = await operator('orgs', 'create');
    expect([code, out]).toEqual([2, '']);
    expect(complained).toContain('unknown command orgs create; did you mean org create?');
  });

  test('shows one command', async () => {
    const { code, out } = await operatorWithin('key', 'revoke', '--help');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^key revoke --org <id> --id <id>\n\nrevoke an API key/),
    ]);
  });
});

import { environment, optionalEnvironment, publicUrl } from '../../shared/base/environment.ts';

const names = ['PUBLIC_URL', 'MAIL_FROM'] as const;
const before = names.map((name) => process.env[name]);
afterEach(() => {
  for (const [i, name] of names.entries()) {
    if (before[i] === undefined) delete process.env[name];
    else process.env[name] = before[i];
  }
});

test('a variable that is missing or empty is an error that names it', () => {
  for (const value of ['', undefined]) {
    if (value === undefined) delete process.env['PUBLIC_URL'];
    else process.env['PUBLIC_URL'] = value;
    expect(() => environment('PUBLIC_URL')).toThrow('environment variable PUBLIC_URL is not set');
  }
});

test('an optional variable that is missing or empty is undefined', () => {
  process.env['MAIL_FROM'] = '';
  expect(optionalEnvironment('MAIL_FROM')).toBeUndefined();
  process.env['MAIL_FROM'] = 'a@example.com';
  expect(optionalEnvironment('MAIL_FROM')).toBe('a@example.com');
});

test.each(['https://example.com', 'https://example.com/', 'https://example.com//'])(
  'publicUrl begins with %s and has one slash between its parts',
  (url) => {
    process.env['PUBLIC_URL'] = url;
    expect(publicUrl('s', 'token')).toBe('https://example.com/s/token');
  },
);

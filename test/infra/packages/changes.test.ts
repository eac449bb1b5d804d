import {
  type Advisory,
  advisoriesIn,
  changesOf,
  describeUpgrade,
  newestNear,
} from '../../../infra/packages/changes.ts';

const lockOf = (packages: Record<string, string>) => ({
  packages: Object.fromEntries(Object.entries(packages).map(([place, version]) => [place, { version }])),
});

const published = (latest: string, ...versions: string[]) => ({ versions, 'dist-tags': { latest } });

const advisory = (name: string, severity: string): Advisory => ({
  name,
  severity,
  title: `${name} is open`,
  url: `https://github.com/advisories/${name}`,
  range: '<2.0.0',
});

describe('the newest version that breaks nothing', () => {
  test.each([
    ['of its major version', '1.2.0', published('2.0.0', '1.2.0', '1.9.0', '1.10.0', '2.0.0'), '1.10.0'],
    ['of its minor version before 1.0.0', '0.2.0', published('0.3.0', '0.2.0', '0.2.7', '0.3.0'), '0.2.7'],
    ['without those before a release', '1.0.0', published('1.1.0', '1.0.0', '1.1.0', '1.2.0-rc.1'), '1.1.0'],
    ['without those beyond the latest', '1.0.0', published('1.1.0', '1.0.0', '1.1.0', '1.2.0'), '1.1.0'],
    ['also where a package has one version', '1.0.0', { ...published('1.0.0'), versions: '1.0.0' }, '1.0.0'],
    ['never an older one', '1.5.0', published('1.4.0', '1.4.0', '1.5.0'), '1.5.0'],
  ])('is %s', (_, version, of, newest) => expect(newestNear(version, of)).toBe(newest));
});

test('what is different between two locks is named by package, wherever it is installed', () => {
  const before = lockOf({
    '': '1.0.0',
    'node_modules/a': '1.0.0',
    'node_modules/@scope/b': '1.0.0',
    'node_modules/a/node_modules/c': '1.0.0',
    'node_modules/c': '2.0.0',
    'node_modules/gone': '1.0.0',
    'infra/fonts': '1.0.0',
  });
  const after = lockOf({
    '': '1.0.1',
    'node_modules/a': '1.0.0',
    'node_modules/@scope/b': '1.1.0',
    'node_modules/a/node_modules/c': '1.2.0',
    'node_modules/c': '2.0.0',
    'node_modules/added': '1.0.0',
    'infra/fonts': '1.0.1',
  });
  expect(changesOf(before, after)).toEqual([
    { name: '@scope/b', from: ['1.0.0'], to: ['1.1.0'] },
    { name: 'added', from: [], to: ['1.0.0'] },
    { name: 'c', from: ['1.0.0'], to: ['1.2.0'] },
    { name: 'gone', from: ['1.0.0'], to: [] },
  ]);
});

test('advisories are each named once, the worst first, and not by those that only need the package', () => {
  const [low, critical, unknown] = [advisory('a', 'low'), advisory('b', 'critical'), advisory('c', 'info')];
  const vulnerabilities = {
    a: { via: [low] },
    b: { via: [critical, low] },
    c: { via: [unknown] },
    app: { via: ['a', 'b'] },
  };
  expect(advisoriesIn({ vulnerabilities })).toEqual([critical, low, unknown]);
  expect(advisoriesIn({})).toEqual([]);
});

describe('what an upgrade brings', () => {
  const upgrade = {
    changes: [
      { name: 'own', from: ['1.0.0'], to: ['1.1.0'] },
      { name: 'deep', from: ['1.0.0'], to: ['1.0.1'] },
      { name: 'added', from: [], to: ['3.0.0'] },
      { name: 'gone', from: ['4.0.0'], to: [] },
    ],
    direct: new Set(['own']),
    left: new Map([['held', { version: '1.0.0', latest: '2.0.0' }]]),
  };
  const linesIn = (text: string) => text.split('\n').filter((line) => /^(#|-|\*|npm)/.test(line));

  test('is a list with the advisories first, by what becomes of them', () => {
    const [ended, stays, brought] = [advisory('x', 'high'), advisory('y', 'low'), advisory('z', 'low')];
    const text = describeUpgrade({
      ...upgrade,
      advisories: { before: [ended, stays], after: [stays, brought] },
    });
    expect(linesIn(text).map((line) => line.replace(/: \[what it brings\].*/, ''))).toEqual([
      '## Advisories that it ends',
      '- high: [x is open](https://github.com/advisories/x), x <2.0.0',
      '## Advisories that it brings',
      '- low: [z is open](https://github.com/advisories/z), z <2.0.0',
      '## Advisories that stay, because no near version ends them',
      '- low: [y is open](https://github.com/advisories/y), y <2.0.0',
      '## Packages of the project',
      '- own 1.0.0 → 1.1.0',
      '## Packages of these packages',
      '- deep 1.0.0 → 1.0.1',
      '- added 3.0.0 is new',
      '- gone 4.0.0 goes',
      '## Not part of it: versions that may break something, which somebody has to look at',
      '- held 1.0.0 → 2.0.0',
    ]);
    expect(text).toContain('(https://www.npmjs.com/package/own/v/1.1.0');
  });

  test('says where npm knows no advisory, and where it could not say', () => {
    const none = describeUpgrade({ ...upgrade, advisories: { before: [], after: [] } });
    expect(linesIn(none)[0]).toBe('npm knows no advisory, neither before nor after.');
    const silent = describeUpgrade({ ...upgrade, advisories: 'npm audit: 503' });
    expect(linesIn(silent)[0]).toMatch(/^\*\*npm could not say which advisories there are: npm audit: 503/);
  });
});

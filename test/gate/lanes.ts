/** A part of what a change must pass: a script of `package.json`. */
export interface Lane {
  script: string;
  /**
   * Whether files that fail are run once more, because they hold processes, races and browsers against a busy machine.
   * What is the same in each run by its nature is not.
   */
  repeats?: true;
  /** Whether it waits, or computes on one core, so that another one runs beside it. */
  isLight?: true;
  /** Debian's packages that it needs, and a command that succeeds where they are installed. */
  debian?: { unless: string; packages: readonly string[] };
}

const OPENPYXL = 'test -d /usr/lib/python3/dist-packages/openpyxl';

/** What every change must pass. */
export const LANES: readonly Lane[] = [
  { script: 'check' },
  { script: 'synth', isLight: true },
  {
    script: 'test',
    debian: {
      unless: OPENPYXL,
      packages: ['python3-openpyxl'],
    },
  },
  {
    script: 'test:operations',
    repeats: true,
    debian: { unless: 'command -v python3', packages: ['python3'] },
  },
  { script: 'test:cloud', repeats: true },
  { script: 'test:chaos', repeats: true },
  {
    script: 'test:browser',
    repeats: true,
    debian: {
      unless: 'command -v chromium-headless-shell',
      packages: ['chromium-headless-shell', 'fonts-noto-core', 'fonts-noto-cjk'],
    },
  },
  {
    script: 'test:dynamodb-local',
    repeats: true,
    isLight: true,
    debian: { unless: 'command -v java', packages: ['openjdk-17-jre-headless'] },
  },
  {
    script: 'chapters',
    repeats: true,
    isLight: true,
    debian: { unless: 'command -v jq', packages: ['curl', 'jq', 'openssl', 'python3'] },
  },
  { script: 'clients', isLight: true },
];

/** What only a night runs. */
export const NIGHT_LANES: readonly Lane[] = [
  {
    script: 'test:any-day',
    debian: { unless: `command -v faketime && ${OPENPYXL}`, packages: ['faketime', 'python3-openpyxl'] },
  },
];

/**
 * The lanes with these names, in the order of `LANES` and `NIGHT_LANES`; those of `LANES` if there are no names.
 * @throws Error that lists the lanes, if there is none with one of the names
 */
export const lanesNamed = (names: readonly string[]): readonly Lane[] => {
  const lanes = [...LANES, ...NIGHT_LANES];
  const unknown = names.filter((name) => !lanes.some(({ script }) => script === name));
  if (unknown.length > 0)
    throw new Error(
      `There is no lane ${unknown.join(', ')}. The lanes are ${lanes.map(({ script }) => script).join(', ')}.`,
    );
  return names.length === 0 ? LANES : lanes.filter(({ script }) => names.includes(script));
};

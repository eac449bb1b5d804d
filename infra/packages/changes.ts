/** The packages of a lock, as npm writes it, by the folders that they are installed into. */
export interface Lock {
  packages: Record<string, { version?: string; link?: boolean }>;
}

/** What `npm audit --json` says. */
export interface Audit {
  vulnerabilities?: Record<
    string,
    { via: (string | { name: string; title: string; url: string; severity: string; range: string })[] }
  >;
}

/** What `npm view --json` says of a package, its versions in the order in which they were published. */
export interface Published {
  versions: string | string[];
  'dist-tags': { latest: string };
}

export interface Advisory {
  name: string;
  title: string;
  url: string;
  severity: string;
  /** Versions that it is about. */
  range: string;
}

/** A package whose versions in the lock change. */
export interface Change {
  name: string;
  /** Empty for a package that is new. */
  from: string[];
  /** Empty for a package that goes. */
  to: string[];
}

const MODULES = 'node_modules/';

const versionsIn = ({ packages }: Lock): Map<string, string[]> => {
  const found = new Map<string, Set<string>>();
  for (const [place, { version, link }] of Object.entries(packages)) {
    const at = place.lastIndexOf(MODULES);
    if (at < 0 || link || !version) continue;
    const name = place.slice(at + MODULES.length);
    found.set(name, (found.get(name) ?? new Set()).add(version));
  }
  return new Map([...found].map(([name, versions]) => [name, [...versions].toSorted()]));
};

/** What is different between two locks, by the names of packages. */
export const changesOf = (before: Lock, after: Lock): Change[] => {
  const [former, newer] = [versionsIn(before), versionsIn(after)];
  return [...new Set([...former.keys(), ...newer.keys()])]
    .toSorted()
    .map((name) => {
      const [from, to] = [former.get(name) ?? [], newer.get(name) ?? []];
      return {
        name,
        from: from.filter((each) => !to.includes(each)),
        to: to.filter((each) => !from.includes(each)),
      };
    })
    .filter(({ from, to }) => from.length > 0 || to.length > 0);
};

const SEVERITIES = ['critical', 'high', 'moderate', 'low'];

/** The advisories of an audit, each once, the worst first. */
export const advisoriesIn = ({ vulnerabilities = {} }: Audit): Advisory[] => {
  const all = Object.values(vulnerabilities).flatMap(({ via }) =>
    via.filter((each) => typeof each === 'object'),
  );
  const rank = ({ severity }: Advisory): number =>
    (SEVERITIES.indexOf(severity) + SEVERITIES.length + 1) % (SEVERITIES.length + 1);
  return [...new Map(all.map((each) => [`${each.url} ${each.name}`, each])).values()].toSorted(
    (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1),
  );
};

const numbersOf = (version: string): number[] => version.split('.').map(Number);

/** Whether versions are so near that nothing breaks by their numbers (Semantic Versioning, 4 and 8). */
const isNear = ([major, minor]: number[], [otherMajor, otherMinor]: number[]): boolean =>
  major === otherMajor && (major !== 0 || minor === otherMinor);

const isNewer = (one: number[], other: number[]): boolean => {
  const differs = one.findIndex((number, position) => number !== other[position]);
  return differs >= 0 && one[differs]! > other[differs]!;
};

/** A version of a release: numbers alone. */
export const EXACT = /^\d+\.\d+\.\d+$/;

/**
 * The newest version that breaks nothing by its number. What the package's owners do not call the latest release or an
 * older one is left out.
 * @returns the version itself where there is none
 */
export const newestNear = (version: string, { versions, 'dist-tags': { latest } }: Published): string =>
  [versions]
    .flat()
    .filter((each) => EXACT.test(each) && !isNewer(numbersOf(each), numbersOf(latest)))
    .filter((each) => isNear(numbersOf(each), numbersOf(version)))
    .reduce((newest, each) => (isNewer(numbersOf(each), numbersOf(newest)) ? each : newest), version);

/** What an upgrade is told of. */
interface Upgrade {
  changes: readonly Change[];
  /** The names that a manifest of the project has. */
  direct: ReadonlySet<string>;
  /** Or why npm could not say. */
  advisories: { before: readonly Advisory[]; after: readonly Advisory[] } | string;
  /** Latest versions that are not near, by package. */
  left: ReadonlyMap<string, { version: string; latest: string }>;
}

const sameAs =
  (one: Advisory) =>
  (other: Advisory): boolean =>
    one.url === other.url && one.name === other.name;

const advisoryLine = ({ name, severity, title, url, range }: Advisory): string =>
  `- ${severity}: [${title}](${url}), ${name} ${range}`;

const notesOf = (name: string, version: string): string =>
  `[what it brings](https://www.npmjs.com/package/${name}/v/${version}?activeTab=versions)`;

const changeLine = ({ name, from, to }: Change): string => {
  if (to.length === 0) return `- ${name} ${from.join(', ')} goes`;
  if (from.length === 0) return `- ${name} ${to.join(', ')} is new`;
  return `- ${name} ${from.join(', ')} → ${to.join(', ')}: ${notesOf(name, to.at(-1)!)}`;
};

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}\n`;

const describeAdvisories = (advisories: Upgrade['advisories']): string[] => {
  if (typeof advisories === 'string')
    return [`**npm could not say which advisories there are: ${advisories}. Run \`npm audit\`.**\n`];
  const { before, after } = advisories;
  if (before.length + after.length === 0) return ['npm knows no advisory, neither before nor after.\n'];
  return [
    section('Advisories that it ends', before.filter((each) => !after.some(sameAs(each))).map(advisoryLine)),
    section(
      'Advisories that it brings',
      after.filter((each) => !before.some(sameAs(each))).map(advisoryLine),
    ),
    section(
      'Advisories that stay, because no near version ends them',
      after.filter((each) => before.some(sameAs(each))).map(advisoryLine),
    ),
  ];
};

/** What an upgrade brings, as Markdown: advisories first. */
export const describeUpgrade = ({ changes, direct, advisories, left }: Upgrade): string =>
  [
    ...describeAdvisories(advisories),
    section('Packages of the project', changes.filter(({ name }) => direct.has(name)).map(changeLine)),
    section('Packages of these packages', changes.filter(({ name }) => !direct.has(name)).map(changeLine)),
    section(
      'Not part of it: versions that may break something, which somebody has to look at',
      [...left].map(
        ([name, { version, latest }]) => `- ${name} ${version} → ${latest}: ${notesOf(name, latest)}`,
      ),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');

import { ROOMS } from './shared/rooms.ts';

// Types without a module behind them.
const TYPES_ONLY = '^aws-lambda$';

const AWS = '/@(aws-sdk|smithy)/';
const NETWORK = '^(node:)?(dgram|http|http2|https|net|tls|undici)$';

/** Uses the network module, and opens nothing with it. */
const COMPARES_ADDRESSES = '^shared/base/networks\\.ts$';

/** The paths of rooms, as a regular expression. */
const pathOf = (...rooms) => `^shared/(${rooms.map(({ name }) => name).join('|')})/`;

const roomRules = ROOMS.flatMap((room, floor) => {
  const from = { path: pathOf(room) };
  const above = ROOMS.slice(floor + 1);
  return [
    ...(above.length > 0
      ? [
          {
            name: `${room.name}: imports no room above it`,
            severity: 'error',
            from,
            to: { path: pathOf(...above) },
          },
        ]
      : []),
    {
      name: `${room.name}: reaches AWS only by its own packages`,
      severity: 'error',
      from,
      to: { path: AWS, ...(room.aws && { pathNot: `/@(aws-sdk|smithy)/(${room.aws.join('|')})/` }) },
    },
    ...(room.packages
      ? [
          {
            name: `${room.name}: imports only the packages it names`,
            severity: 'error',
            from,
            to: {
              path: 'node_modules',
              pathNot: [AWS, ...room.packages.map((name) => `node_modules/${name.replace('.', '\\.')}/`)],
              dependencyTypesNot: ['type-only'],
            },
          },
        ]
      : []),
    ...(room.isOutgoing
      ? []
      : [
          {
            name: `${room.name}: opens no connection`,
            severity: 'error',
            from: { ...from, pathNot: COMPARES_ADDRESSES },
            to: { path: NETWORK },
          },
        ]),
  ];
});

/** Who may import whom: functions stand on shared, shared on its own rooms in their order. */
export default {
  forbidden: [
    {
      name: 'no circle',
      comment: 'Modules that need each other are one module, or one too many.',
      severity: 'error',
      from: { path: '^(functions|shared|infra)/' },
      to: { circular: true },
    },
    {
      name: 'functions: import shared and zod alone',
      severity: 'error',
      from: { path: '^functions/' },
      to: { pathNot: ['^shared/', '/zod/'] },
    },
    {
      name: 'shared: imports shared alone',
      comment: 'What runs in the cloud knows neither the deployment nor the tests.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|infra|test)/' },
    },
    {
      name: 'shared: every file is in a room',
      severity: 'error',
      from: { path: '^shared/', pathNot: [pathOf(...ROOMS), '^shared/rooms\\.ts$'] },
      to: {},
    },
    ...roomRules,
    {
      name: 'packages are declared',
      comment: 'What is deployed stands in dependencies.',
      severity: 'error',
      from: { path: '^(functions|shared)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: TYPES_ONLY,
      },
    },
    {
      name: 'everything resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: TYPES_ONLY },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API; without this no module of ours would be seen at all.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // What `npm run sdk` builds.
    exclude: { path: '^infra/sdk/(dist|generated)/' },
    detectJSDocImports: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};

// Types without a module behind them.
const TYPES_ONLY = '^(aws-lambda|pdfmake/interfaces\\.js)$';

/** Who may import whom: functions stand on shared, shared stands on nothing of ours, and pure rules on nothing at all. */
module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'Modules that need each other are one module, or one too many.',
      severity: 'error',
      from: { path: '^(functions|shared|infra)/' },
      to: { circular: true },
    },
    {
      name: 'functions-on-shared-only',
      severity: 'error',
      from: { path: '^functions/' },
      to: { pathNot: ['^shared/', '/zod/'] },
    },
    {
      name: 'shared-on-shared-only',
      comment: 'What runs in the cloud knows neither the deployment nor the tests.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|infra|test)/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules are tested without AWS, HTTP and a schema library; what they compute with is as pure.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { pathNot: ['^shared/domain/', '/(jsep|fraction\\.js)/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'forms-are-pure',
      comment: 'A form is read and written without AWS and HTTP.',
      severity: 'error',
      from: { path: '^shared/xlsform/' },
      to: { path: '^shared/', pathNot: '^shared/(xlsform|domain|schemas)/' },
    },
    {
      name: 'schemas-stand-alone',
      severity: 'error',
      from: { path: '^shared/schemas/' },
      to: { pathNot: ['^shared/(schemas|domain)/', '/zod/'] },
    },
    {
      name: 'database-knows-errors-and-grants-of-http',
      severity: 'error',
      from: { path: '^shared/db/' },
      to: { path: '^shared/http/', pathNot: '^shared/http/(errors|grants)\\.ts$' },
    },
    {
      name: 'aws-behind-its-doors',
      comment: 'The table has one door, shared/db; so have objects, queues, mails and tenancy theirs.',
      severity: 'error',
      from: {
        path: '^shared/',
        pathNot: ['^shared/(db|storage|events|mail)/', '^shared/(tenancy|http/worker-handler)\\.ts$'],
      },
      to: { path: '/@(aws-sdk|smithy)/' },
    },
    {
      name: 'table-behind-its-door',
      severity: 'error',
      from: { path: '^shared/', pathNot: ['^shared/db/', '^shared/http/worker-handler\\.ts$'] },
      to: { path: '/@aws-sdk/(client-dynamodb|lib-dynamodb)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'packages-are-declared',
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
      name: 'everything-resolves',
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
    detectJSDocImports: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};

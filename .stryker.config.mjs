import { readFileSync } from 'node:fs';

// As in all tests; log lines would only take time.
process.env['LOG_LEVEL'] = 'silent';

const { jest } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Mutation tests: each change that Stryker makes to a pure rule should make one of the rule's own unit tests fail.
 * `npm run test:mutation -- --mutate shared/domain/inspections/workflow.ts` runs those of one file, in minutes; without
 * a file it runs all of them, in hours.
 */
export default {
  mutate: [
    'shared/{base,domain}/**/*.ts',
    'shared/http/{middlewares,operation,request,worker}/**/*.ts',
    'shared/http/{lambda,versions,reply/reply}.ts',
    '!shared/base/tenancy.ts',
    '!shared/base/i18n/texts/*.ts',
  ],
  testRunner: 'jest',
  // Only tests that need no engine. With one, nearly every change would take a second for each of a thousand tests.
  jest: {
    config: {
      ...jest,
      // Jest finds the tests of a file by what they import; so it must know the files between them.
      roots: ['<rootDir>/test', '<rootDir>/shared'],
      watchman: false,
      globalSetup: null,
      globalTeardown: null,
      testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
      testMatch: [
        '**/test/{base,domain,xlsform}/**/*.test.ts',
        '**/test/schedules/plan.test.ts',
        // Not the random requests to every operation: they are slow, and no change needs them to be found.
        '**/test/http/{operation,worker}/*.test.ts',
        '**/test/http/middlewares/chain.test.ts',
        '**/test/http/request/{browser,form,headers,parse,problems,templates,validation}.test.ts',
        '**/test/http/reply/{field-order,reply}.test.ts',
      ],
      testPathIgnorePatterns: [...jest.testPathIgnorePatterns, 'test/base/tenancy'],
    },
  },
  plugins: ['@stryker-mutator/jest-runner'],
  coverageAnalysis: 'perTest',
  // Two processes would only compete: the tests of one change take less time than the start of jest.
  concurrency: 1,
  // A loaded machine is slow. A change after which the code does not end is found nevertheless.
  timeoutMS: 10_000,
  timeoutFactor: 1.2,
  // TypeScript 7 has no JavaScript API with which Stryker could read a configuration, so it gets none.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: '.data/mutation.json' },
  tempDirName: '.data/stryker',
};

/**
 * The variables that a process needs which runs as on a user's machine, without those of this test run, such as the
 * addresses of its engines.
 */
export const plainEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    // What Node has compiled is kept in a folder for all processes of a run.
    ['PATH', 'HOME', 'NODE_COMPILE_CACHE'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

import type { Plugin } from 'esbuild';

/** Modules of Node.js that most requests never use, though packages import them. */
const RARE = /^node:(child_process|stream\/web|timers\/promises)$/;

/** Loads rare modules of Node.js when something of them is first used, instead of when the function starts. */
export const rareBuiltinsLater: Plugin = {
  name: 'rare builtins later',
  setup: (build) => {
    const namespace = 'later';
    build.onResolve({ filter: RARE }, ({ path, namespace: from }) =>
      from === namespace ? { path, external: true } : { path, namespace },
    );
    build.onLoad({ filter: RARE, namespace }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object).filter((name) => name !== 'default');
      return {
        contents: `module.exports = {${names.map((name) => `get ${name}() { return require('${path}').${name}; }`).join(', ')}};`,
        loader: 'js',
      };
    });
  },
};

// It stands beside the code of each function, and is the only code that V8 has to compile when the function starts.
const { existsSync, readFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { dirname } = require('node:path');
const { Script, constants } = require('node:vm');

/**
 * Runs a file of CommonJS code as a module, by what V8 compiled when the function was built (`make-caches.cjs`). V8 refuses
 * what another release of it, or one with other flags, has compiled. Then it compiles the code as always.
 * @param {NodeJS.Module} module gets the exports
 * @param {string} file absolute
 */
exports.run = (module, file) => {
  const cache = `${file}.cache`;
  const script = new Script(wrap(readFileSync(file, 'utf8')), {
    filename: file,
    cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  script.runInThisContext()(module.exports, (id) => module.require(id), module, file, dirname(file));
  return script;
};

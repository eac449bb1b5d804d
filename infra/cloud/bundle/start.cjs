// This file is copied beside the code of each function.
const { existsSync, readFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { dirname } = require('node:path');
const { Script, constants } = require('node:vm');

/**
 * Runs a file of CommonJS code as a module, with the code cache that `make-caches.cjs` has stored beside it. V8 refuses a
 * cache that another release of V8 has made, or one with other flags. Then it compiles the code as always.
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

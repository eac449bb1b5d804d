// Runs files of code, and stores V8's code cache of each beside it.
const { writeFileSync } = require('node:fs');
const { createRequire, Module } = require('node:module');
const { run } = require('./start.cjs');

for (const file of process.argv.slice(2)) {
  const module = new Module(file);
  module.require = createRequire(file);
  writeFileSync(`${file}.cache`, run(module, file).createCachedData());
}

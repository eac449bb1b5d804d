// Runs files of code, and keeps what V8 has compiled of each beside it. A process of its own loads only a few of them.
const { writeFileSync } = require('node:fs');
const { createRequire, Module } = require('node:module');
const { run } = require('./start.cjs');

for (const file of process.argv.slice(2)) {
  const module = new Module(file);
  module.require = createRequire(file);
  writeFileSync(`${file}.cache`, run(module, file).createCachedData());
}

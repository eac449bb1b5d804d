import { loadCatalogue } from '../catalogue.ts';
import { breaksClients, changelogOf, differencesOf } from './differences.ts';
import { openApiDocument } from './document.ts';
import { releasedDocument } from './released.ts';

/*
 * Lists what is different in the API since the last release, or since a document in another file. It fails when something
 * breaks the clients of one with the same major number. `npm run -s changes -- --markdown` prints the list for the
 * changelog.
 */

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const file = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const before = releasedDocument(file);
const now = openApiDocument(await loadCatalogue());
const differences = differencesOf(before, now);
if (process.argv.includes('--markdown')) print(changelogOf(differences));
else {
  for (const { isBreaking, text } of differences) print(`${isBreaking ? 'BREAKS' : 'adds  '} ${text}`);
  print(`${differences.length} differences since ${before.info.version}`);
}
if (breaksClients(differences, before.info, now.info)) process.exitCode = 1;

import { loadCatalogue } from '../../infra/catalogue.ts';
import { differencesOf } from '../../infra/openapi/differences.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import { frozenDocument, RELEASE, RELEASES } from './frozen.ts';

/*
 * Lists what is different in the API since the last release whose document was frozen. It fails when something breaks
 * the clients of a release with the same major number.
 */

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const majorOf = (release: string): string => release.split('.')[0]!;

const byNumber = new Intl.Collator('en', { numeric: true }).compare;
const last = RELEASES.toSorted(byNumber).findLast((release) => frozenDocument(release) !== undefined);
if (last === undefined) print('No release has a frozen document.');
else {
  const differences = differencesOf(frozenDocument(last)!, openApiDocument(await loadCatalogue()));
  for (const { isBreaking, text } of differences) print(`${isBreaking ? 'BREAKS' : 'adds  '} ${text}`);
  print(`${differences.length} differences since ${last}`);
  const isBroken = differences.some(({ isBreaking }) => isBreaking);
  if (isBroken && majorOf(last) === majorOf(RELEASE)) process.exitCode = 1;
}

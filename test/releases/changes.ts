import { loadCatalogue } from '../../infra/catalogue.ts';
import { changelogOf, differencesOf } from '../../infra/openapi/differences.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import { frozenDocument, RELEASE, RELEASES } from './frozen.ts';

/*
 * Lists what is different in the API since the last frozen release. It fails when something breaks
 * the clients of a release with the same major number. `npm run -s changes -- --markdown` prints the list for the
 * changelog.
 */

/**
 * Differences that look as if they broke clients and do not, by the release since which there are: the later document
 * says what was so before.
 */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '1.0': {
    'Credential.api_token: is new': 'release 1.0 refused a connection without it',
    'Credential: takes no other properties': 'release 1.0 refused them',
    'Event.data.correction_id: may be null': 'only in events of certificates, which release 1.0 did not emit',
    'Event.data.number: may be string': 'only in events of certificates, which release 1.0 did not emit',
    'NewIssueQuestion.options: minItems is 1': 'release 1.0 refused an empty list',
    'OwnProfile.key: may be missing': 'only with On-Behalf-Of, which release 1.0 did not take there',
  },
};

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const majorOf = (release: string): string => release.split('.')[0]!;

const byNumber = new Intl.Collator('en', { numeric: true }).compare;
const last = RELEASES.toSorted(byNumber).at(-1)!;
const harmless = HARMLESS[last] ?? {};
const all = differencesOf(frozenDocument(last), openApiDocument(await loadCatalogue()));
const differences = all.filter(({ text }) => !(text in harmless));
const unused = Object.keys(harmless).filter((text) => !all.some((difference) => difference.text === text));
if (process.argv.includes('--markdown')) print(changelogOf(differences));
else {
  for (const { isBreaking, text } of differences) print(`${isBreaking ? 'BREAKS' : 'adds  '} ${text}`);
  print(`${differences.length} differences since ${last}`);
}
for (const text of unused) print(`This is no longer different: ${text}`);
const isBroken = differences.some(({ isBreaking }) => isBreaking) && majorOf(last) === majorOf(RELEASE);
if (isBroken || unused.length > 0) process.exitCode = 1;

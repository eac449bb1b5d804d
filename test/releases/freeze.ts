import { freezeData } from './data.ts';
import { folderOf, RELEASE } from './frozen.ts';
import { STATES } from './states.ts';

/*
 * The first part of `npm run freeze`: the rows and objects of the release that `package.json` names. See `frozen.ts`.
 */

jest.setTimeout(3_600_000);

test(`release ${RELEASE} is frozen`, () => freezeData(folderOf(RELEASE), STATES));

import { describeSettings } from './settings.ts';

process.stdout.write(`${describeSettings()}\n`);

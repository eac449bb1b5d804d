import { loadCatalogue } from '../catalogue.ts';
import { appOf } from './stacks.ts';

const app = await appOf(await loadCatalogue());
app.synth();

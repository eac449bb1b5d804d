import { loadCatalogue } from '../catalogue.ts';
import { bundleCompiled, describeArchitectures } from './bundle.ts';
import { appOf } from './stacks.ts';

const app = await appOf(await loadCatalogue(), {}, async (catalogue, ...rest) => {
  const bundles = await bundleCompiled(catalogue, ...rest);
  process.stderr.write(`${describeArchitectures(catalogue, bundles)}\n`);
  return bundles;
});
app.synth();

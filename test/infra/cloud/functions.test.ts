// Before the parts, which share the folder that it deletes at the end.
import './templates.ts';

// Each file that loads the CDK and the catalogue takes many seconds for it, so these parts are one file.
describe.each(['api', 'rollout', 'workers'])('%s', (part) => {
  jest.requireActual(`./parts/${part}.ts`);
});

// Before the parts, which share the folder that it deletes at the end.
import './templates.ts';

// Each file that loads the CDK and the catalogue takes many seconds for it, so these parts are one file.
describe.each(['alarms', 'environments', 'row-level-security', 'sam', 'stacks', 'storage'])('%s', (part) => {
  jest.requireActual(`./parts/${part}.ts`);
});

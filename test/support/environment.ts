import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;

/**
 * The environment of a test file is that of `jest-environment-node`, but its global object is an ordinary one. By default
 * Node.js asks the object that stands for it about each use of a global name, such as `Object` or `JSON`, in the whole
 * service: more than a quarter of all time of the tests.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }
}

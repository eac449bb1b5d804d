import { join } from 'node:path';
import type { Node, VariableDeclarator } from 'acorn';
import type { Plugin } from 'esbuild';
import { childrenOf, type Edit, edited, type Module, namesIn, type Origin, readModule } from './module.ts';
import { isTexts } from './texts.ts';

/** What stands in these is not computed together with the constant. */
const LATER = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'ClassExpression']);
const WORK = new Set(['CallExpression', 'NewExpression', 'TaggedTemplateExpression']);

const takesWork = (node: Node): boolean =>
  WORK.has(node.type) || (!LATER.has(node.type) && childrenOf(node).some(takesWork));

const contains = (outer: Node, inner: Node): boolean => outer.start <= inner.start && inner.end <= outer.end;

const parentsIn = (program: Node): ReadonlyMap<Node, Node> => {
  const parents = new Map<Node, Node>();
  const visit = (node: Node): void => {
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child);
    }
  };
  visit(program);
  return parents;
};

const before = ({ start }: Node, text: string): Edit => ({ start, end: start, text });
const after = ({ end }: Node, text: string): Edit => ({ start: end, end, text });
const called = (node: Node): Edit[] => [before(node, '('), after(node, '())')];

/** What stands around a declaration, whose constants become functions. */
const declaredLater = ({ id, init }: VariableDeclarator): [Edit, Edit] => {
  if (id.type === 'Identifier')
    return [before(init!, '/* @__PURE__ */ computedOnce(() => ('), after(init!, '))')];
  // The value is computed and taken apart once, for all of its constants.
  const names = namesIn(id);
  const parts = `partsOf${names.join('')}`;
  const each = names.map((name) => `${name} = () => ${parts}().${name}`);
  return [
    before(id, `${parts} = /* @__PURE__ */ computedOnce(() => { const `),
    after(init!, `; return { ${names.join(', ')} }; }), ${each.join(', ')}`),
  ];
};

const COMPUTED_ONCE = `import { computedOnce } from ${JSON.stringify(join(import.meta.dirname, 'computed-once.ts'))};`;

/**
 * The code of our files, in which a constant that takes work is computed when it is first used: most schemas and tables
 * belong to other operations than that of the function. Such a constant becomes a function, and each use of it a call.
 * esbuild leaves out the functions that nothing calls.
 *
 * It does not matter when a constant is computed, because importing a module does no work that others see. Entry points
 * keep their constants: Lambda reads them.
 * @returns the JavaScript of a file, by its absolute path
 */
export const lazyCode = (entryPoints: readonly string[]): ((file: string) => string) => {
  const eager = new Set(entryPoints);
  const modules = new Map<string, Module>();
  const moduleOf = (file: string): Module => {
    const module = modules.get(file) ?? readModule(file);
    modules.set(file, module);
    return module;
  };

  const decided = new Map<VariableDeclarator, boolean>();
  /** Whether a variable at the top of a module is, or imports, a constant that is computed later. */
  const isLazy = (module: Module, name: string): boolean => {
    const origin = module.imports.get(name);
    if (origin) return isLazyOrigin(module, origin);
    const declarator = module.constants.get(name);
    if (!declarator?.init || eager.has(module.file)) return false;
    if (!decided.has(declarator)) {
      // Constants that need each other wait for each other, if nothing else decides.
      decided.set(declarator, false);
      decided.set(declarator, takesWork(declarator.init) || usesLazy(module, declarator.init));
    }
    return decided.get(declarator)!;
  };
  const isLazyOrigin = (module: Module, { file, name }: Origin): boolean => {
    if (!file) return isLazy(module, name);
    return isTexts(file) || isLazyExport(moduleOf(file), name);
  };
  const isLazyExport = (module: Module, name: string): boolean => {
    const origin = module.exports.get(name);
    if (origin) return isLazyOrigin(module, origin);
    return module.exportsAllOf.some((file) => isLazyExport(moduleOf(file), name));
  };
  const hasLazyExports = (module: Module): boolean =>
    [...module.exports.values()].some((origin) => isLazyOrigin(module, origin)) ||
    module.exportsAllOf.some((file) => hasLazyExports(moduleOf(file)));
  const usesLazy = (module: Module, init: Node): boolean =>
    [...module.variables.values()].some(
      ({ name, references, scope }) =>
        references.some(
          ({ identifier, from }) => from === scope && contains(init, identifier as unknown as Node),
        ) &&
        (module.imports.get(name)?.name === '*' || isLazy(module, name)),
    );

  const usesIn = (module: Module): Edit[] => {
    const parents = parentsIn(module.program);
    /** A use of a constant by its own name. */
    const use = (identifier: Node, name: string): Edit[] => {
      const parent = parents.get(identifier)!;
      if (parent.type === 'ExportSpecifier') return [];
      const isShorthand = parent.type === 'Property' && (parent as Node & { shorthand: boolean }).shorthand;
      const { file } = module.imports.get(name) ?? {};
      // A table of all languages reads only those that are used.
      if (isShorthand && file && isTexts(file))
        return [before(identifier, `get ${name}() { return `), after(identifier, '(); }')];
      return [...(isShorthand ? [before(identifier, `${name}: `)] : []), ...called(identifier)];
    };
    /** A use of all exports of a file, of which one is a constant. */
    const useOfAll = (identifier: Node, file: string): Edit[] => {
      const member = parents.get(identifier) as Node & {
        property?: Node & { name: string };
        computed?: boolean;
      };
      const isMember = member.type === 'MemberExpression' && !member.computed;
      if (!isMember && !hasLazyExports(moduleOf(file))) return [];
      if (!isMember) {
        throw new Error(
          `${module.file} uses the exports of ${file} as one value, so they cannot be computed later`,
        );
      }
      return isLazyExport(moduleOf(file), member.property!.name) ? called(member) : [];
    };
    return [...module.variables.values()].flatMap(({ name, references }) => {
      const origin = module.imports.get(name);
      const isAll = origin?.name === '*';
      if (!isAll && !isLazy(module, name)) return [];
      return references
        .filter((reference) => !reference.isWrite())
        .map(({ identifier }) => identifier as unknown as Node)
        .flatMap((identifier) => (isAll ? useOfAll(identifier, origin.file!) : use(identifier, name)));
    });
  };

  return (file) => {
    const module = moduleOf(file);
    const declared = [...module.constants].filter(([name]) => isLazy(module, name));
    const around = [...new Set(declared.map(([, declarator]) => declarator))].map(declaredLater);
    const code = edited(module.code, [
      ...around.map(([opening]) => opening),
      ...usesIn(module),
      ...around.map(([, closing]) => closing),
    ]);
    return around.length > 0 ? `${COMPUTED_ONCE}\n${code}` : code;
  };
};

/** Lets esbuild bundle `lazyCode` of our files. */
export const lazyConstants = (entryPoints: readonly string[]): Plugin => ({
  name: 'lazy constants',
  setup: (build) => {
    const codeOf = lazyCode(entryPoints);
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: codeOf(path),
      loader: 'js',
    }));
  },
});

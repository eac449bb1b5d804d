import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type CallExpression,
  type Node,
  type Pattern,
  type Program,
  parse,
  type VariableDeclarator,
} from 'acorn';
import { transformSync } from 'esbuild';
import { analyze, type Variable } from 'eslint-scope';
import { isTexts } from './texts.ts';

/** What an import or an export stands for: an export of another file, or, without `file`, a variable of the same one. */
export interface Origin {
  file?: string;
  /** `*` for all exports as one value; `default` for texts. */
  name: string;
}

/** One of our files as JavaScript, without types. */
export interface Module {
  file: string;
  code: string;
  program: Program;
  /** The variables at the top, imports among them, by name. */
  variables: ReadonlyMap<string, Variable>;
  /** Of our own files, by the name of the variable. */
  imports: ReadonlyMap<string, Origin>;
  /** By the name that others import. */
  exports: ReadonlyMap<string, Origin>;
  /** The files of which it exports everything. */
  exportsAllOf: readonly string[];
  /** The declarations of constants at the top, by the names of their variables. */
  constants: ReadonlyMap<string, VariableDeclarator>;
}

/** A change of the code between two positions. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

export const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** @param edits those at the same position stay in this order */
export const edited = (code: string, edits: readonly Edit[]): string => {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(code.slice(at, start), text);
    at = end;
  }
  return parts.join('') + code.slice(at);
};

/** The variables of a declaration, which may take its value apart. */
export const namesIn = (pattern: Pattern | null): string[] => {
  if (pattern?.type === 'Identifier') return [pattern.name];
  if (pattern?.type === 'ArrayPattern') return pattern.elements.flatMap(namesIn);
  if (pattern?.type === 'RestElement') return namesIn(pattern.argument);
  if (pattern?.type === 'AssignmentPattern') return namesIn(pattern.left);
  if (pattern?.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((each) => namesIn(each.type === 'Property' ? each.value : each));
};

const parseModule = (code: string): Program =>
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', ranges: true });

/** The methods by which a schema is described in the reference. Nothing else reads what they add. */
const DESCRIBING = new Set(['meta', 'describe']);

const isDescribing = (node: Node): node is CallExpression => {
  const { callee, arguments: given } = node as Partial<CallExpression>;
  return (
    callee?.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    DESCRIBING.has(callee.property.name) &&
    given!.length === 1
  );
};

const withoutDescriptions = (code: string): string => {
  const edits: Edit[] = [];
  const visit = (node: Node): void => {
    if (isDescribing(node)) {
      const { object } = node.callee as Extract<CallExpression['callee'], { type: 'MemberExpression' }>;
      visit(object);
      edits.push({ start: object.end, end: node.end, text: '' });
    } else childrenOf(node).forEach(visit);
  };
  visit(parseModule(code));
  return edited(code, edits);
};

const javaScriptOf = (file: string): string => {
  const { code } = transformSync(readFileSync(file, 'utf8'), {
    loader: 'ts',
    target: 'node24',
    charset: 'utf8',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.includes('from "zod"') ? withoutDescriptions(code) : code;
};

const text = (node: { type: string; name?: string; value?: unknown }): string =>
  node.type === 'Identifier' ? node.name! : String(node.value);

/** Reads one of our files. */
export const readModule = (file: string): Module => {
  const code = javaScriptOf(file);
  const program = parseModule(code);
  const { globalScope } = analyze(program as Parameters<typeof analyze>[0], {
    ecmaVersion: 2024,
    sourceType: 'module',
  });
  const imports = new Map<string, Origin>();
  const exports = new Map<string, Origin>();
  const exportsAllOf: string[] = [];
  const constants = new Map<string, VariableDeclarator>();
  /** The file of ours that a statement imports or exports from; undefined for a package. */
  const fileIn = ({ source }: { source?: { value?: unknown } | null }): string | undefined => {
    const path = resolve(dirname(file), String(source?.value));
    return String(source?.value).startsWith('.') && (path.endsWith('.ts') || isTexts(path))
      ? path
      : undefined;
  };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      const from = fileIn(statement);
      for (const specifier of from ? statement.specifiers : []) {
        const name =
          specifier.type === 'ImportSpecifier'
            ? text(specifier.imported)
            : specifier.type === 'ImportDefaultSpecifier'
              ? 'default'
              : '*';
        imports.set(specifier.local.name, { file: from!, name });
      }
    } else if (statement.type === 'ExportAllDeclaration') {
      exportsAllOf.push(fileIn(statement)!);
    } else {
      const isExport = statement.type === 'ExportNamedDeclaration';
      const from = isExport ? fileIn(statement) : undefined;
      for (const { local, exported } of isExport ? statement.specifiers : []) {
        exports.set(text(exported), { ...(from && { file: from }), name: text(local) });
      }
      const declaration = isExport ? statement.declaration : statement;
      if (declaration?.type === 'VariableDeclaration' && declaration.kind === 'const') {
        for (const declarator of declaration.declarations) {
          for (const name of namesIn(declarator.id)) {
            constants.set(name, declarator);
            if (isExport) exports.set(name, { name });
          }
        }
      }
    }
  }
  const { set: variables } = globalScope!.childScopes[0]!;
  return { file, code, program, variables, imports, exports, exportsAllOf, constants };
};

/** Rules of this repository that no linter has. */
export default {
  meta: { name: 'house' },
  rules: {
    'zod-namespace': {
      create: (context) => ({
        ImportDeclaration(node) {
          if (node.source.value !== 'zod' || node.importKind === 'type') return;
          if (node.specifiers.some(({ type }) => type !== 'ImportNamespaceSpecifier')) {
            context.report({
              node,
              message:
                "Write `import * as z from 'zod'`. A named import puts all of zod (443 KB instead of 83 KB) into every function.",
            });
          }
        },
      }),
    },
  },
};

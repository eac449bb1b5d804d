/** Rules of this house that no linter ships. */
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
                "`import * as z from 'zod'`: a named import ships all of zod (443 KB instead of 83) in every function.",
            });
          }
        },
      }),
    },
  },
};

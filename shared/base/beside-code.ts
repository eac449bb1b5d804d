import { join } from 'node:path';

/** The path of what lies beside the code of a deployed function; anywhere else, its place in this repository. */
export const besideCode = (deployedAs: string, otherwise: string): string => {
  const root = process.env['LAMBDA_TASK_ROOT'];
  return root ? join(root, deployedAs) : otherwise;
};

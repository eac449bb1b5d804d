/** The bytes are not a workbook that is accepted. The message says why. */
export class WorkbookError extends Error {
  override name = 'WorkbookError';
}

/** @throws WorkbookError always */
export const refuse = (what: string): never => {
  throw new WorkbookError(what);
};

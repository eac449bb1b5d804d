import type { ProblemType } from '../../../base/problem.ts';
import { cutTo } from '../../../base/text.ts';
import { sheetName } from '../form/columns.ts';
import { headerOf, peek, type Row, settle } from '../form/table.ts';

/** A mistake in a form, which keeps the form from being imported. */
export interface FormProblem {
  /** In lower case; "" where the mistake is not in a sheet. */
  sheet: string;
  row: number | null;
  column: string | null;
  message: string;
  type: ProblemType;
}

/** The form has mistakes and cannot be imported. Lists all of them. */
export class FormError extends Error {
  override name = 'FormError';
  readonly problems: readonly FormProblem[];

  constructor(problems: readonly FormProblem[]) {
    super(
      problems.map(({ sheet, row, column, message }) => `${sheet} ${row} ${column}: ${message}`).join('; '),
    );
    this.problems = problems;
  }
}

/** `lost`: the content does not have it. `note`: the content has it in another way. */
export type Severity = 'note' | 'lost';

/** A remark of the import report on a cell, a column or a sheet. */
export interface Remark {
  sheet: string;
  /** Null for a whole column or sheet. */
  row: number | null;
  column: string | null;
  /** The name of the row in the form. */
  name: string | null;
  severity: Severity;
  message: string;
}

/** The longest message of a problem or a remark, in characters: messages may quote long cells. */
const MAX_MESSAGE_LENGTH = 300;

const shortened = (message: string): string =>
  message.length <= MAX_MESSAGE_LENGTH ? message : `${cutTo(message, MAX_MESSAGE_LENGTH - 1)}…`;

/** The name of a row; null for a row without one. */
export const nameOf = (row: Row): string | null => peek(row, 'name') || null;

/** Collects the problems and remarks of one import. Each step of the import gets it with the form. */
export class Diagnostics {
  readonly problems: FormProblem[] = [];
  readonly remarks: Remark[] = [];
  readonly #rowsWithLosses = new Set<string>();

  /** Adds a problem of a cell. */
  problem(row: Row, column: string, message: string, type: ProblemType = 'value_error'): void {
    this.problems.push({
      sheet: sheetName(row.sheet),
      row: row.number,
      column: headerOf(row, column),
      message: shortened(message),
      type,
    });
  }

  /** Adds a remark on a cell and marks the cell as used. */
  remark(row: Row, column: string, severity: Severity, message: string): void {
    settle(row, column);
    if (severity === 'lost') this.#rowsWithLosses.add(`${row.number} ${row.sheet}`);
    this.remarks.push({
      sheet: row.sheet,
      row: row.number,
      column: headerOf(row, column),
      name: nameOf(row),
      severity,
      message: shortened(message),
    });
  }

  note(row: Row, column: string, message: string): void {
    this.remark(row, column, 'note', message);
  }

  lost(row: Row, column: string, message: string): void {
    this.remark(row, column, 'lost', message);
  }

  /** Adds a remark that something of a whole sheet is lost. */
  lostInSheet(sheet: string, message: string): void {
    this.remarks.push({ sheet, row: null, column: null, name: null, severity: 'lost', message });
  }

  /** Whether a remark says that a part of the row is lost. */
  hasLosses(row: Row): boolean {
    return this.#rowsWithLosses.has(`${row.number} ${row.sheet}`);
  }

  /** @throws FormError with all problems, if there are any */
  throwProblems(): void {
    if (this.problems.length > 0) throw new FormError(this.problems);
  }
}

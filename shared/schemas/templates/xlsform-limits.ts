/** Limits of an XLSForm. They are in a file of their own, so that reading a form does not load the schemas. */

/** Characters of a cell (Excel specifications and limits). */
export const MAX_CELL_LENGTH = 32_767;

/** Characters of a column's header. */
export const MAX_HEADER_LENGTH = 200;

/** Characters of a language's name. */
export const MAX_LANGUAGE_LENGTH = 100;

/** Rows of a sheet. A content of the largest size may have as many options. */
export const MAX_ROWS = 60_000;

/** Columns of a sheet. */
export const MAX_COLUMNS = 2_000;

/** Rows of a CSV file that are read. A list has far fewer options, unless many rows repeat each other. */
export const MAX_CSV_ROWS = 10_000;

/** CSV files that are sent with a form. */
export const MAX_CSV_FILES = 20;

/** Bytes of one CSV file. */
export const MAX_CSV_BYTES = 1024 * 1024;

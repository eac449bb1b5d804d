/**
 * How our CSV files are written (RFC 4180): UTF-8 with a byte order mark, by which Excel knows it. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection"); numbers stay numbers.
 */
export const CSV_FORM = { bom: true, escape_formulas: true, record_delimiter: 'windows' } as const;

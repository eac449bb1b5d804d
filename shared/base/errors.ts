/**
 * The catalogue of errors. Each has a status, a code (`X-Error-Code`), a meaning for the API reference, and a text. A
 * code never changes its meaning; texts may change. A bundle holds only the pages of which it uses an error.
 */
export * from './errors/requests.ts';
export * from './errors/changes.ts';
export * from './errors/inspections.ts';
export * from './errors/integrations.ts';
export * from './errors/templates.ts';
export * from './errors/organization.ts';
export * from './errors/reports.ts';

/**
 * The catalogue of errors: every one that a request can be answered with, its status, its code (`X-Error-Code`), when it
 * is answered, and its text. The reference lists them from here. A code never changes its meaning; texts may. A bundle
 * holds only the files from which it uses something.
 */
export * from './errors/access.ts';
export * from './errors/changes.ts';
export * from './errors/corrections.ts';
export * from './errors/findings.ts';
export * from './errors/inspections.ts';
export * from './errors/integrations.ts';
export * from './errors/issues.ts';
export * from './errors/locations.ts';
export * from './errors/organization.ts';
export * from './errors/people.ts';
export * from './errors/reports.ts';
export * from './errors/requests.ts';
export * from './errors/schedules.ts';
export * from './errors/templates.ts';
export * from './errors/uploads.ts';
export * from './errors/webhooks.ts';

/** Versions of template families: drafts, which can be changed, and published versions, which cannot. */
export { create, openDraft } from './versions/create.ts';
export { get, getWithChanges, list, snapshot } from './versions/lists.ts';
export { publish } from './versions/publish.ts';
export { publishImpact } from './versions/publish-impact.ts';
export { update, updateContent } from './versions/update.ts';

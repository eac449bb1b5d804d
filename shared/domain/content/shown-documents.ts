/**
 * The ids of all documents in a stored value, each once. Answers, media and signatures all refer to a document by a
 * member `document_id`, at any depth.
 */
export const shownDocuments = (stored: unknown): Set<string> => {
  if (stored === null || typeof stored !== 'object' || ArrayBuffer.isView(stored)) return new Set();
  const { document_id } = stored as { document_id?: unknown };
  const own = typeof document_id === 'string' ? [document_id] : [];
  return new Set([...own, ...Object.values(stored).flatMap((inner) => [...shownDocuments(inner)])]);
};

/** The value or media of an answer without these documents; null when nothing is left. */
export const withoutDocuments = (shown: unknown, gone: ReadonlySet<string>): unknown => {
  const isGone = (part: unknown) => shownDocuments(part).intersection(gone).size > 0;
  if (!Array.isArray(shown)) return isGone(shown) ? null : shown;
  const left = shown.filter((part) => !isGone(part));
  return left.length > 0 || shown.length === 0 ? left : null;
};

/**
 * The ids of the documents that anything stored shows, each once: answers, media and signatures all name one as
 * `document_id`, wherever it stands.
 */
export const shownDocuments = (stored: unknown): Set<string> => {
  if (stored === null || typeof stored !== 'object' || ArrayBuffer.isView(stored)) return new Set();
  const { document_id } = stored as { document_id?: unknown };
  const own = typeof document_id === 'string' ? [document_id] : [];
  return new Set([...own, ...Object.values(stored).flatMap((inner) => [...shownDocuments(inner)])]);
};

/** An answer's value or media without these documents; null where nothing of it is left. */
export const withoutDocuments = (shown: unknown, gone: ReadonlySet<string>): unknown => {
  const isGone = (part: unknown) => shownDocuments(part).intersection(gone).size > 0;
  if (!Array.isArray(shown)) return isGone(shown) ? null : shown;
  const left = shown.filter((part) => !isGone(part));
  return left.length > 0 || shown.length === 0 ? left : null;
};

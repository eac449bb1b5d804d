import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import { checkAnswers } from '../../domain/issues/questions.ts';
import { Uuid } from '../../schemas/common.ts';
import type { IssueAnswer } from '../../schemas/issues/issue.ts';
import type { StoredDocument, StoredIssueCategory } from '../table/entities.ts';
import { type Reference, reference } from '../table/references.ts';

/** What a request says of an issue that may name documents. */
interface Shown {
  answers?: readonly { question_id: string; value?: unknown }[] | undefined;
  media?: readonly { document_id: string }[] | undefined;
}

/** The documents that a request names. What is no id is left out: the check of the answer refuses it. */
export const documentReferences = (
  caller: Caller,
  { answers = [], media = [] }: Shown,
): Reference<StoredDocument>[] => {
  const each = (field: string, shown: unknown) =>
    [...shownDocuments(shown)]
      .filter((id) => Uuid.safeParse(id).success)
      .map((id) => reference(caller, field, 'DOCUMENT', id.toLowerCase()));
  return [...each('answers', answers), ...each('media', media)];
};

/**
 * Checks the answers of a request.
 * @param category undefined where there is none, and so no question
 * @param documents the rows of `documentReferences`
 * @throws ApiError 422 for answers that the questions do not take, and for required ones that are missing
 */
export const checkedAnswers = (
  category: Pick<StoredIssueCategory, 'questions'> | undefined,
  answers: NonNullable<Shown['answers']>,
  documents: readonly (Pick<StoredDocument, 'id' | 'mime_type'> | undefined)[],
): IssueAnswer[] => {
  const types = new Map(
    documents.flatMap((document) => (document ? [[document.id, document.mime_type]] : [])),
  );
  const { checked, problems } = checkAnswers(category?.questions ?? [], answers, (id) => types.get(id));
  if (problems.length > 0) throw errors.validationFailed(problems);
  return checked;
};

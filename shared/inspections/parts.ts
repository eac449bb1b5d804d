import { type Caller, seesOnlyOwn } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { shownDocuments } from '../domain/content/shown-documents.ts';
import * as documents from '../files/documents.ts';
import {
  type DocumentPlace,
  InspectionDocument,
  type InspectionPart,
  InspectionWithParts,
} from '../schemas/inspections/parts.ts';
import { present, type Presented } from '../schemas/projection.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { queryRows, withRows } from '../table/rows.ts';
import * as answers from './answers/lists.ts';
import * as correctiveActions from './corrective-actions/lists.ts';
import * as findings from './findings/findings.ts';
import { show } from './lists.ts';
import { inspectionRecords } from './rows/inspection-records.ts';
import { listSections } from './scores.ts';

/** A place of no question, finding or action, to be filled in. */
const NOWHERE = {
  field_id: null,
  instance_path: '',
  start_key: null,
  finding_id: null,
  corrective_action_id: null,
  stage: null,
  caption: '',
};

/** The caption that is stored beside a document. */
const captionOf = (stored: unknown, id: string): string => {
  if (stored === null || typeof stored !== 'object') return '';
  const { document_id, caption } = stored as { document_id?: unknown; caption?: unknown };
  if (document_id === id && typeof caption === 'string') return caption;
  return (
    Object.values(stored)
      .map((inner) => captionOf(inner, id))
      .find((text) => text !== '') ?? ''
  );
};

/**
 * The places that show documents, by the ids of the documents. Three calls, and one for each corrective action.
 * @throws ApiError 404
 */
const placesOf = async (caller: Caller, id: string): Promise<Map<string, DocumentPlace[]>> => {
  const { start_answers } = await inspectionRecords.get(caller, id);
  const places = new Map<string, DocumentPlace[]>();
  const add = (stored: unknown, place: Omit<DocumentPlace, 'caption'>) => {
    for (const document of shownDocuments(stored))
      places.set(document, [
        ...(places.get(document) ?? []),
        { ...place, caption: captionOf(stored, document) },
      ]);
  };
  for (const [start_key, answer] of Object.entries(start_answers))
    add(answer, { ...NOWHERE, kind: 'start_answer', start_key });
  for await (const answer of queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ANSWER'))) {
    const { value, media, field_id, instance_path } = answer;
    add([value, media], { ...NOWHERE, kind: 'answer', field_id, instance_path });
  }
  const fields = new Map<string, Pick<DocumentPlace, 'field_id' | 'instance_path'>>();
  for await (const finding of queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'FINDING'))) {
    const { id: finding_id, field_id, instance_path, content } = finding;
    fields.set(finding_id, { field_id, instance_path });
    add(content, { ...NOWHERE, kind: 'finding', finding_id, field_id, instance_path });
  }
  const actions = await Array.fromAsync(
    queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ACTION')),
    async ({ id: corrective_action_id, finding_id }) => ({
      place: { ...NOWHERE, ...fields.get(finding_id), finding_id, corrective_action_id },
      attachments: await Array.fromAsync(
        queryRows(caller, keys.parts(caller, 'ACTION', corrective_action_id, 'ATTACHMENT')),
      ),
    }),
  );
  for (const { place, attachments } of actions)
    for (const attachment of attachments)
      add(attachment, { ...place, kind: 'corrective_action', stage: attachment.stage });
  return places;
};

const findDocuments = async function* (
  caller: Caller,
  id: string,
  { limit, updated_since: since }: ListQuery,
  after: string | undefined,
): AsyncGenerator<Presented<InspectionDocument>> {
  const places = await placesOf(caller, id);
  const ids = [...places.keys()].filter((each) => after === undefined || each > after).toSorted();
  const all = (async function* () {
    yield* ids;
  })();
  const rows = withRows(caller, all, (each) => [documents.key(caller, each)], limit && limit + 1);
  for await (const [each, [row]] of rows)
    if (row && (since === undefined || row.updated_at >= since))
      yield present(InspectionDocument, row, { places: places.get(each)! });
};

/** All files of an inspection, in the order in which they were uploaded. @throws ApiError 404; 422 for a cursor of another list */
export const listDocuments = async (
  caller: Caller,
  id: string,
  query: ListQuery,
): Promise<Listing<InspectionDocument>> => {
  const name = `DOCUMENTS ${id}`;
  const after = readCursor(caller, name, query);
  await inspectionRecords.get(caller, id);
  return listing(
    caller,
    name,
    query,
    findDocuments(caller, id, query, after),
    (document) => document.id,
    (document) => document,
  );
};

/** How each part of an inspection is read. */
const PARTS: {
  [Part in InspectionPart]: (
    caller: Caller,
    id: string,
  ) => Promise<Listing<NonNullable<InspectionWithParts[Part]>[number]>>;
} = {
  responses: (caller, id) => answers.list(caller, id, {}),
  findings: (caller, id) => findings.list(caller, id, {}),
  corrective_actions: (caller, id) => correctiveActions.list(caller, id, {}),
  documents: (caller, id) => listDocuments(caller, id, {}),
  sections: async (caller, id) => ({ page: await listSections(caller, id) }),
};

const allOf = async <Row>(read: Promise<Listing<Row>>): Promise<Row[]> => {
  const listed = await read;
  return 'page' in listed ? listed.page : Array.fromAsync(listed.rows);
};

/**
 * An inspection, with these of its parts. Calls: those of the list of each part.
 * @throws ApiError 404, also for one that the caller may not see; 403 for parts, which admins alone read
 */
export const showWithParts = async (
  caller: Caller,
  id: string,
  include: readonly InspectionPart[] = [],
): Promise<InspectionWithParts> => {
  const inspection = await show(caller, id);
  if (seesOnlyOwn(caller) && include.length > 0) throw errors.roleNotAllowed(caller.role);
  const read = async (part: InspectionPart) => [part, await allOf<unknown>(PARTS[part](caller, id))] as const;
  const parts = await Promise.all(include.filter((part) => part !== 'sections').map(read));
  // Like the answers, they need the content of the template, which is read by then.
  if (include.includes('sections')) parts.push(await read('sections'));
  return present(InspectionWithParts, { ...inspection, ...Object.fromEntries(parts) });
};

import type { Document, Upload } from '../../shared/schemas/document.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { on, sdkError, withFault } from '../support/faults.ts';
import type { Person } from '../support/people.ts';
import type { Failures, Scenarios } from '../support/scenarios.ts';

export const documentForm = (
  bytes: Uint8Array | string,
  fields: Record<string, string | string[]> = { title: 'Load chart' },
  fileName = 'load chart.txt',
): FormData => {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), fileName);
  return form;
};

export const newDocument = ({ key }: Person, fields?: Record<string, string | string[]>): Promise<Document> =>
  as(key).documents.create({ form: documentForm('10 t at 4 m', fields) });

const one = async (person: Person) => ({ params: { document_id: (await newDocument(person)).id } });

/** Opens an upload and stores its file. */
export const newUpload = async (
  { key }: Person,
  bytes: Uint8Array,
  fileName = 'crane.bin',
): Promise<Upload> => {
  const body = { file_name: fileName, size_bytes: bytes.length, mime_type: 'application/octet-stream' };
  const upload: Upload = await as(key).documents.createUpload({ body });
  const { 'content-length': _, ...headers } = upload.headers;
  const { ok, status } = await fetch(upload.url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  if (!ok) throw new Error(`the upload answered ${status}`);
  return upload;
};

/** Sets an upload's start back by `hours`. */
export const age = ({ caller }: Person, { upload_id }: Upload, hours: number): Promise<void> => {
  const opened_at = new Date(Date.now() - hours * 3_600_000).toISOString();
  const aged = write.update(keys.one(caller, 'UPLOAD', upload_id), { set: { opened_at } });
  return change(caller, () => ({ writes: [aged], reply: undefined }));
};

/** A request that completes an upload. */
const uploaded = async (person: Person) => ({
  params: { upload_id: (await newUpload(person, Buffer.from('lift plan'))).upload_id },
  body: { title: 'Lift plan', tags: ['plan'] },
});

/** The table refuses every transaction. */
export const refuseCommit = on(
  ({ command }) => command === 'TransactWriteItems',
  () => Promise.reject(sdkError('ValidationException')),
);

const UPLOAD = { file_name: 'lift.mp4', size_bytes: 12_000_000, mime_type: 'video/mp4' };

export const scenarios: Scenarios = {
  createDocument: [
    () => ({ form: documentForm('10 t at 4 m') }),
    () => ({
      form: documentForm(
        'a;b',
        { title: 'Lifts', description: ' ', category: 'Cranes', tags: ['a', 'b'] },
        'lifts.csv',
      ),
    }),
  ],
  listDocuments: [
    async (person) => {
      await newDocument(person);
      return {};
    },
    () => ({ query: { q: 'LOAD', tag: ['a', 'b'], category: 'Cranes', limit: 1 } }),
  ],
  getDocument: [(person) => one(person)],
  deleteDocument: [(person) => one(person)],
  createUpload: [
    async (person) => {
      await age(person, await newUpload(person, Buffer.from('abandoned')), 25);
      return { body: UPLOAD };
    },
  ],
  completeUpload: [uploaded],
};

// The file is deleted again if its document cannot be stored.
export const failures: Failures = {
  createDocument: (_, send) => withFault(refuseCommit, () => send({ form: documentForm('10 t at 4 m') })),
  completeUpload: async (person, send) => {
    const request = await uploaded(person);
    return withFault(refuseCommit, () => send(request));
  },
};

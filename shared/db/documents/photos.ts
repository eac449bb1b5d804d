import { NewDocument } from '../../schemas/document.ts';
import { initialValues } from '../../schemas/resource.ts';
import type { Work } from '../table/change.ts';
import { emit } from '../table/outbox/outbox.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { creation, type DocumentFile } from './documents.ts';

/** A photo whose file is stored already, and which becomes a document with what it was sent for. */
export type BroughtPhoto = DocumentFile & { title: string };

/** The documents of photos that a visitor sends, each with one use, and their bytes. */
export const photoWrites = (work: Work, photos: readonly BroughtPhoto[]): Write[] =>
  combineCounts(
    photos.flatMap(({ title, ...file }) => {
      const texts = { ...initialValues(NewDocument), title };
      const { document, writes } = creation(work, file, texts, { id: null, name: work.name }, 1);
      return [...writes, emit(work, 'document.created', document)];
    }),
  );

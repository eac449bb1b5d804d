import type { DownloadableAttachment } from '../../../../shared/schemas/corrective-action.ts';
import type { DownloadableDocument } from '../../../../shared/schemas/document.ts';
import type { AnswerRecord } from '../../../../shared/schemas/inspections/answer.ts';
import { read } from '../api.ts';
import { numberText } from '../formats.ts';
import { useLoaded, usePages, useWork } from '../hooks.ts';
import { words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Button } from '../ui/parts.tsx';
import { More } from '../ui/table.tsx';

/** A file that an object shows. */
interface Shown {
  document_id: string;
  caption: string;
}

/** Buttons that open files. Their addresses end soon, so each is asked for when it is needed. */
export const Files = ({ media }: { media: readonly Shown[] }) => {
  const work = useWork();
  const show = ({ document_id: id }: Shown) =>
    void work.run(async () => {
      const { download_url: address } = await read<DownloadableDocument>(`/v1/documents/${id}`);
      open(address, '_blank', 'noopener');
    });
  return (
    <>
      <FailureNotice failure={work.failure} />
      {media.map((file, position) => (
        <Button key={file.document_id} kind="plain" onClick={() => show(file)}>
          {file.caption || `${words.files.file} ${numberText(position + 1)}`}
        </Button>
      ))}
      {media.length === 0 && '–'}
    </>
  );
};

/** The files of a corrective action. */
export const Attachments = ({ id }: { id: string }) => {
  const { value = [], failure } = useLoaded<DownloadableAttachment[]>(
    `/v1/corrective-actions/${id}/attachments`,
  );
  return (
    <>
      <FailureNotice failure={failure} />
      <Files
        media={value.map(({ document_id, caption, file_name }) => ({
          document_id,
          caption: caption || file_name,
        }))}
      />
    </>
  );
};

const isFile = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && 'document_id' in value && value.document_id !== null;

/** The files of an answer: its value where the field asks for files, and what accompanies it. */
const filesOf = ({ value, media }: AnswerRecord): Shown[] => [
  ...(Array.isArray(value) ? value : [value]).filter(isFile),
  ...media,
];

/** Answers that are read at a time for the files in them. */
const LOOKED_THROUGH = 200;

/** The files in the answers of an inspection. */
export const AnswerFiles = ({ id }: { id: string }) => {
  const answers = usePages<AnswerRecord>(`/v1/inspections/${id}/responses`, false, LOOKED_THROUGH);
  return (
    <>
      <FailureNotice failure={answers.failure} />
      <Files media={(answers.value ?? []).flatMap(filesOf)} />
      <More more={answers.more} isLoading={answers.isLoading} />
    </>
  );
};

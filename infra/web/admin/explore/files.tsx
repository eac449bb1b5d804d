import type { DownloadableAttachment } from '../../../../shared/schemas/corrective-action.ts';
import type { DownloadableDocument } from '../../../../shared/schemas/document.ts';
import type { InspectionDocument } from '../../../../shared/schemas/inspections/parts.ts';
import { read } from '../api.ts';
import { numberText, sizeText } from '../formats.ts';
import { useLoaded, usePages, useWork } from '../hooks.ts';
import { words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Button } from '../ui/parts.tsx';
import { More } from '../ui/table.tsx';

/** A file that an object shows. */
export interface Shown {
  document_id: string;
  caption: string;
  /** Its name and size, and who added it, where these are known. */
  about?: string;
}

/** Opens a file in another window. Its address ends soon, so it is asked for when it is needed. @throws Failure */
export const openFile = async (id: string): Promise<void> => {
  const { download_url: address } = await read<DownloadableDocument>(`/v1/documents/${id}`);
  open(address, '_blank', 'noopener');
};

/** Buttons that open files. */
export const Files = ({ media }: { media: readonly Shown[] }) => {
  const work = useWork();
  const show = ({ document_id: id }: Shown) => void work.run(() => openFile(id));
  return (
    <>
      <FailureNotice failure={work.failure} />
      {media.map((file, position) => (
        <span class={file.about && 'item'} key={file.document_id}>
          <Button kind="plain" onClick={() => show(file)}>
            <bdi>{file.caption || `${words.files.file} ${numberText(position + 1)}`}</bdi>
          </Button>
          {file.about && <bdi class="sub">{file.about}</bdi>}
        </span>
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

/** Files that are read at a time. */
const READ = 200;

/** The files of an inspection, by the names that they came with. */
export const InspectionFiles = ({ id }: { id: string }) => {
  const files = usePages<InspectionDocument>(`/v1/inspections/${id}/documents`, false, READ);
  return (
    <>
      <FailureNotice failure={files.failure} />
      <Files
        media={(files.value ?? []).map(({ id: document_id, places, file_name, size_bytes, ...by }) => ({
          document_id,
          caption: places.find(({ caption }) => caption)?.caption || file_name,
          about: [file_name, sizeText(size_bytes), by.uploaded_by_name].join(' · '),
        }))}
      />
      <More more={files.more} isLoading={files.isLoading} />
    </>
  );
};

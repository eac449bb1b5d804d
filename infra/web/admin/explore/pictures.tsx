import { useEffect, useRef, useState } from 'preact/hooks';
import type { DownloadableDocument } from '../../../../shared/schemas/document.ts';
import { fill, numberText, sizeText } from '../formats.ts';
import { useLoaded, useWork } from '../hooks.ts';
import { words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Button } from '../ui/parts.tsx';
import { openFile, type Shown } from './files.tsx';

/** What every browser draws. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** Whether an element has come into sight, or near to it. */
const useSeen = () => {
  const element = useRef<HTMLLIElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setIsSeen(true);
        watch.disconnect();
      },
      { rootMargin: '200px' },
    );
    watch.observe(element.current!);
    return () => watch.disconnect();
  }, []);
  return { element, isSeen };
};

const File = ({ id, name }: { id: string; name: string }) => {
  const { value: file, failure } = useLoaded<DownloadableDocument>(`/v1/documents/${id}`);
  const [isBroken, setIsBroken] = useState(false);
  const work = useWork();
  const open = () => void work.run(() => openFile(id));
  if (failure?.status === 404) return <span class="soft">{words.deleted}</span>;
  if (!file) return <FailureNotice failure={failure} />;
  return (
    <>
      <FailureNotice failure={work.failure} />
      {DRAWN.has(file.mime_type) && !isBroken ? (
        <button type="button" class="picture" onClick={open}>
          <img src={file.download_url} alt={name} onError={() => setIsBroken(true)} />
        </button>
      ) : (
        <Button kind="plain" onClick={open}>
          <bdi>{file.file_name}</bdi>
        </Button>
      )}
      {!DRAWN.has(file.mime_type) && <span class="sub">{sizeText(file.size_bytes)}</span>}
    </>
  );
};

const Picture = ({ document_id: id, caption, name }: Shown & { name: string }) => {
  const { element, isSeen } = useSeen();
  return (
    <li ref={element}>
      {isSeen && <File id={id} name={name} />}
      {caption && <bdi class="sub">{caption}</bdi>}
    </li>
  );
};

/**
 * Photos and signatures as small pictures, each of which opens; other files by their names. Each is read when it is seen.
 * @param name what a picture without a caption shows; its number when left out
 */
export const Pictures = ({ media, name }: { media: readonly Shown[]; name?: string }) => (
  <ul class="pictures">
    {media.map((each, position) => (
      <Picture
        key={each.document_id}
        {...each}
        name={each.caption || (name ?? fill(words.photo, { n: numberText(position + 1) }))}
      />
    ))}
  </ul>
);

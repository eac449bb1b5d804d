/** How long the program waits before each further attempt, in milliseconds. */
const WAITS = [500, 1_500, 4_000];

/** How long an attempt may make no progress, in milliseconds. */
const MAX_SILENCE = 30_000;

/** The server cannot be reached, or not at the moment: worth another try later. */
export class Unreachable extends Error {}

/** The server has refused it, and would do so again. */
export class Refused extends Error {}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

const isPassing = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/** Where a photo is to be sent. */
interface Upload {
  url: string;
  headers: Record<string, string>;
}

const openUpload = async (page: string, fields: Record<string, string | number>): Promise<Upload> => {
  const response = await fetch(`${page}/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(fields),
  }).catch(() => undefined);
  if (!response || isPassing(response.status)) throw new Unreachable();
  if (!response.ok) throw new Refused();
  return (await response.json()) as Upload;
};

/** `fetch` reports no progress of what it sends. */
const put = ({ url, headers }: Upload, blob: Blob, onProgress: (share: number) => void): Promise<number> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    let timer = 0;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), MAX_SILENCE);
    };
    request.upload.onprogress = ({ loaded, total }) => {
      watch();
      onProgress(loaded / total);
    };
    request.onloadend = () => {
      clearTimeout(timer);
      resolve(request.status);
    };
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) {
      // The browser sets the length itself.
      if (name !== 'content-length') request.setRequestHeader(name, value);
    }
    watch();
    request.send(blob);
  });

/** 412: an earlier attempt has stored it, and only its answer was lost. */
const isStored = (status: number): boolean => (status >= 200 && status < 300) || status === 412;

/**
 * Uploads a photo, with further attempts where the connection fails.
 * @param page the address of the form
 * @throws Unreachable, Refused
 */
export const uploadPhoto = async (
  page: string,
  { stamp, slot, blob }: { stamp: string; slot: number; blob: Blob },
  onProgress: (share: number) => void,
): Promise<void> => {
  for (const [attempt, pause] of [0, ...WAITS].entries()) {
    if (pause > 0) await wait(pause);
    try {
      const upload = await openUpload(page, { stamp, slot, size: blob.size, type: blob.type });
      const status = await put(upload, blob, onProgress);
      if (isStored(status)) return;
      if (!isPassing(status)) throw new Refused();
      throw new Unreachable();
    } catch (error) {
      // Without a connection at all, further attempts only take time.
      if (error instanceof Refused || attempt === WAITS.length || !navigator.onLine) throw error;
    }
  }
};

/** The reply to a form: its status, and the page. */
export interface Answer {
  status: number;
  page: Document;
}

/** Sends the fields of a form. @throws Unreachable */
export const postForm = async (page: string, fields: readonly [string, string][]): Promise<Answer> => {
  const response = await fetch(page, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
  }).catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  if (!response || text === undefined || isPassing(response.status)) throw new Unreachable();
  return { status: response.status, page: new DOMParser().parseFromString(text, 'text/html') };
};

import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';

/** The types of programs and of packages that contain programs, as `file-type` names them. */
const EXECUTABLES = new Set([
  'application/java-archive',
  'application/java-vm',
  'application/vnd.android.package-archive',
  'application/wasm',
  'application/x-apple-diskimage',
  'application/x-deb',
  'application/x-elf',
  'application/x-google-chrome-extension',
  'application/x-mach-binary',
  'application/x-ms-regedit',
  'application/x-ms-shortcut',
  'application/x-msdownload',
  'application/x-rpm',
  'application/x-shockwave-flash',
  'application/x-xpinstall',
]);

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

/**
 * The first bytes of programs, also of ones that are too short or cut off for `file-type`: DOS, Windows, ELF, Mach-O.
 */
const PROGRAM_STARTS = [
  Buffer.from('MZ'),
  Buffer.from('#!'),
  ...['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'cafebabf', 'efbbbf2321'].map(
    bytesOf,
  ),
];

const COMPOUND_FILE = bytesOf('d0cf11e0a1b11ae1');
/** The class id of a Windows Installer package in a compound file: {000C1084-0000-0000-C000-000000000046}. */
const INSTALLER_CLASS = bytesOf('84100c0000000000c000000000000046');

/** The bytes of a text do not show its type, so its name decides. A browser runs none of these types. */
const TEXT_TYPES: Record<string, string> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
};

const PLAIN_TEXT = 'text/plain';

/** Of a file of which neither the bytes nor the name show what it is. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** Whether the bytes are UTF-8 without control characters. The last character may be incomplete. */
const isText = (bytes: Uint8Array): boolean => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    // oxlint-disable-next-line no-control-regex -- text has none of these
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
};

const startsWith = (bytes: Uint8Array, start: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, start.length)).equals(start);

const detected = async (bytes: Uint8Array): Promise<string | undefined> => {
  try {
    return (await fileTypeFromBuffer(bytes))?.mime;
  } catch {
    // The file is damaged or incomplete, so its type is unknown.
    return undefined;
  }
};

/** The type of a file, from its first 64 KB. Its name is used only to tell types of text apart. */
export const fileKind = async (
  bytes: Uint8Array,
  fileName: string,
): Promise<{ mimeType: string; isExecutable: boolean }> => {
  const mimeType = (await detected(bytes)) ?? (isText(bytes) ? textType(fileName) : UNKNOWN_TYPE);
  const isExecutable =
    EXECUTABLES.has(mimeType) ||
    PROGRAM_STARTS.some((start) => startsWith(bytes, start)) ||
    (startsWith(bytes, COMPOUND_FILE) && Buffer.from(bytes).includes(INSTALLER_CLASS));
  return { mimeType, isExecutable };
};

const textType = (fileName: string): string =>
  TEXT_TYPES[fileName.split('.').at(-1)!.toLowerCase()] ?? PLAIN_TEXT;

const FILE_TYPES: ReadonlySet<string> = new Set([
  ...supportedMimeTypes,
  ...Object.values(TEXT_TYPES),
  PLAIN_TEXT,
  UNKNOWN_TYPE,
]);

/** Whether a stored file can have a media type: `fileKind` finds it, and it is not of a program. */
export const isFileType = (mimeType: string): boolean =>
  FILE_TYPES.has(mimeType) && !EXECUTABLES.has(mimeType);

import { fileTypeFromBuffer } from 'file-type';

/** Programs and packages of programs, as `file-type` names them. */
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

/** How programs begin that a short or truncated file could hide: DOS and Windows, ELF, Mach-O in all its forms. */
const PROGRAM_STARTS = [
  Buffer.from('MZ'),
  Buffer.from('#!'),
  ...['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'cafebabf', 'efbbbf2321'].map(
    bytesOf,
  ),
];

const COMPOUND_FILE = bytesOf('d0cf11e0a1b11ae1');
/** The class of a Windows Installer package within a compound file: {000C1084-0000-0000-C000-000000000046}. */
const INSTALLER_CLASS = bytesOf('84100c0000000000c000000000000046');

/** Text has no type in its bytes; of these a name may tell, for none of them is ever run by a browser. */
const TEXT_TYPES: Record<string, string> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
};

/** UTF-8 without control characters; a last character that was cut off is no fault. */
const isText = (bytes: Uint8Array): boolean => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    // oxlint-disable-next-line no-control-regex -- these are what text does not have
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
    // A damaged file, or only its beginning, is none of the known ones.
    return undefined;
  }
};

/**
 * What a file is by its bytes, of which the first 64 KB are enough. Its name tells apart only kinds of text.
 */
export const fileKind = async (
  bytes: Uint8Array,
  fileName: string,
): Promise<{ mimeType: string; isExecutable: boolean }> => {
  const mimeType =
    (await detected(bytes)) ?? (isText(bytes) ? textType(fileName) : 'application/octet-stream');
  const isExecutable =
    EXECUTABLES.has(mimeType) ||
    PROGRAM_STARTS.some((start) => startsWith(bytes, start)) ||
    (startsWith(bytes, COMPOUND_FILE) && Buffer.from(bytes).includes(INSTALLER_CLASS));
  return { mimeType, isExecutable };
};

const textType = (fileName: string): string =>
  TEXT_TYPES[fileName.split('.').at(-1)!.toLowerCase()] ?? 'text/plain';

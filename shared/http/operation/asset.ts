/** Declares that an operation replies with a file that a page loads, and that never changes under its name. */
export interface AssetResponse {
  kind: 'asset';
  description: string;
}

/** A file that a page loads. */
export interface Asset {
  bytes: Uint8Array;
  mediaType: string;
}

export const asset = (description: string): AssetResponse => ({ kind: 'asset', description });

import type sharp from 'sharp';

/** The library that decodes images. It takes long to load, so it is loaded with the first image. */
export const imageLibrary = async (): Promise<typeof sharp> => (await import('sharp')).default;

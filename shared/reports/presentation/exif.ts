import readExif from 'exif-reader';
import type { PhotoFacts } from '../document/facts.ts';

type Facts = Pick<PhotoFacts, 'takenAt' | 'position'>;

const NOTHING: Facts = { takenAt: null, position: null };

/** Degrees from degrees, minutes and seconds; null for what is no such list, or out of range. */
const degrees = (parts: unknown, isNegative: boolean, max: number): number | null => {
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every((part) => Number.isFinite(part)))
    return null;
  const [whole = 0, minutes = 0, seconds = 0] = parts as number[];
  const value = whole + minutes / 60 + seconds / 3600;
  return value > max ? null : isNegative ? -value : value;
};

/** A camera whose clock was never set writes a year long ago; a file that lies may write any. */
const FIRST_YEAR = 1990;

/**
 * When and where a photo was taken, as its EXIF data says (CIPA DC-008). The time is that of the camera's clock, whose
 * zone is mostly unknown.
 * @param data the EXIF segment of the file; a damaged one says nothing
 */
export const exifFacts = (data: Buffer | undefined): Facts => {
  if (data === undefined) return NOTHING;
  try {
    const { Photo, GPSInfo } = readExif(data);
    const taken = Photo?.DateTimeOriginal;
    const isTime = taken instanceof Date && !Number.isNaN(taken.getTime());
    const [date = '', time = ''] = isTime ? taken.toISOString().split('T') : [];
    const lat = degrees(GPSInfo?.GPSLatitude, GPSInfo?.GPSLatitudeRef === 'S', 90);
    const lng = degrees(GPSInfo?.GPSLongitude, GPSInfo?.GPSLongitudeRef === 'W', 180);
    return {
      takenAt: Number(date.slice(0, 4)) >= FIRST_YEAR ? { date, time: time.slice(0, 8) } : null,
      // Cameras without a fix write zeros.
      position:
        lat === null || lng === null || (lat === 0 && lng === 0) ? null : { lat, lng, accuracy_m: null },
    };
  } catch {
    return NOTHING;
  }
};

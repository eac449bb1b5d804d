import { isDateFormat, serialToDate } from 'hucre';
import { parseXml } from './xml.ts';

/** Formats that are not listed in a workbook and show dates or times (ECMA-376 part 1, section 18.8.30). */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** The longest format, in characters (Excel specifications and limits). */
const MAX_FORMAT_LENGTH = 255;

/** Which of a workbook's cell styles show numbers as dates or times, by their index. */
export const dateStylesIn = async (styles: AsyncIterable<Uint8Array>): Promise<boolean[]> => {
  const formats = new Map<number, boolean>();
  const formatOfStyle: number[] = [];
  await parseXml(styles, {
    open: (path, { numFmtId = '', formatCode = '' }) => {
      if (path.length !== 3) return;
      if (path[1] === 'numFmts')
        formats.set(Number(numFmtId), isDateFormat(formatCode.slice(0, MAX_FORMAT_LENGTH)));
      else if (path[1] === 'cellXfs') formatOfStyle.push(Number(numFmtId));
    },
  });
  return formatOfStyle.map((id) => formats.get(id) ?? isBuiltInDate(id));
};

/** Excel's first day. Excel stores a time of day as a date before it. */
const FIRST_DAY = Date.UTC(1900, 0, 1);

/** The end of Excel's last day (Excel specifications and limits). */
const END = Date.UTC(10_000, 0, 1);

/** A number of days as `YYYY-MM-DD[ HH:MM:SS]`, or `HH:MM:SS` on no day; "" for a number that is not a date. */
export const dateText = (days: number, isSince1904: boolean): string => {
  const date = serialToDate(days, isSince1904);
  const milliseconds = Math.round(date.getTime() / 1_000) * 1_000;
  if (!(days >= 0 && milliseconds < END)) return '';
  const text = new Date(milliseconds).toISOString();
  const [day, time] = [text.slice(0, 10), text.slice(11, 19)];
  if (date.getTime() < FIRST_DAY) return time;
  return time === '00:00:00' ? day : `${day} ${time}`;
};

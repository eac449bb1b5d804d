import type { ReportPosition } from '../../schemas/reports/report-answer.ts';
import type { Formats } from '../presentation/format.ts';
import type { Paragraph } from './document.ts';

/** Decimals of a degree: about one metre. */
const DECIMALS = 5;

/** The page of a map that shows a position. */
export const mapAddress = ({ lat, lng }: Pick<ReportPosition, 'lat' | 'lng'>): string => {
  const [north, east] = [lat, lng].map((degrees) => String(Number(degrees.toFixed(DECIMALS))));
  return `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=17/${north}/${east}`;
};

/**
 * A position in degrees with its accuracy in metres, as a link to a map. A point divides the decimals in every
 * language, because a comma divides the two numbers, which stay in one line.
 */
export const mapLink = ({ lat, lng, accuracy_m }: ReportPosition, formats: Formats): Paragraph => {
  const text = [lat, lng].map((degrees) => degrees.toFixed(DECIMALS)).join(',\u00a0');
  const accuracy = accuracy_m === null ? '' : ` (±${formats.number(accuracy_m)}\u00a0m)`;
  return [{ text, href: mapAddress({ lat, lng }) }, ...(accuracy === '' ? [] : [{ text: accuracy }])];
};

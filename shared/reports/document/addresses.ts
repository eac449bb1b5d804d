import { formatAddress } from 'localized-address-format';
import type { ReportAddress } from '../../schemas/reports/report-answer.ts';

/** Letters of the scripts in which these countries write from the largest part to the smallest. */
const LATIN = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u;

/** Where the postal service takes the city as a part of the lines or the region (data of libaddressinput). */
const CITY_IN_REGION = new Set(['JP']);

const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

const countryName = (country: string, language: string): string => {
  if (!/^[A-Z]{2}$/.test(country)) return country;
  try {
    return new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(country) ?? country;
  } catch {
    return country;
  }
};

/**
 * The lines of an address in the order of its country, with the country's name in a language at the end. What the
 * country's format leaves out, such as a region, stands in a line of its own.
 * @param home where an address without a country is
 */
export const addressLines = (address: ReportAddress, language: string, home: string | null): string[] => {
  const { lines, city, region, postal_code, country } = address;
  const isLatin = LATIN.test([...lines, city, region].join(''));
  const others = isSame(region, city) ? '' : region;
  const inOrder = country || home || '';
  const withCity = CITY_IN_REGION.has(inOrder);
  const merged = [others, city].filter(Boolean);
  const formatted =
    inOrder === ''
      ? [...lines, [postal_code, city].filter(Boolean).join(' ')]
      : formatAddress(
          {
            postalCountry: inOrder,
            addressLines: lines,
            locality: city,
            administrativeArea: withCity
              ? isLatin
                ? merged.toReversed().join(', ')
                : merged.join('')
              : others,
            postalCode: postal_code,
          },
          isLatin ? 'latin' : 'local',
        );
  const written = formatted.join('\n');
  const missing = [postal_code, city, others].filter((part) => part !== '' && !written.includes(part));
  return [...formatted, ...missing, countryName(country, language)]
    .map((line) => line.trim())
    .filter((line) => line !== '');
};

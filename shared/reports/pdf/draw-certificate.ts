import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { besideCode } from '../../base/beside-code.ts';
import { publicUrl } from '../../base/environment.ts';
import { directionOf, type Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { stateText } from '../../http/pages/certificate-page.ts';
import { dayText, plain } from '../../http/pages/texts.ts';
import { statusAt } from '../../inspections/certificates/records.ts';
import type { StoredCertificate } from '../../table/entities/certificates.ts';
import { qrSvg } from '../qr-code.ts';
import { drawApart } from './draw-apart.ts';
import { DRAWS_REPORTS } from './runtime.ts';

const TEMPLATE = join(import.meta.dirname, 'certificate');

/** What an operation that draws certificates declares. */
export const DRAWS_CERTIFICATES = {
  native: DRAWS_REPORTS.native,
  programs: DRAWS_REPORTS.programs,
  assets: {
    fonts: DRAWS_REPORTS.assets.fonts,
    certificate: (): string[] => readdirSync(TEMPLATE).map((name) => join(TEMPLATE, name)),
  },
} as const;

/**
 * The page of a certificate as a PDF/A-3a, on which a certificate that is not valid says so.
 * @param now the time of its status, ISO 8601 in UTC
 * @throws OutOfTime or OutOfMemory at a limit
 */
export const drawCertificate = async (
  certificate: StoredCertificate,
  language: Language,
  now: string,
): Promise<Buffer> => {
  const texts = PAGE_TEXTS[language].certificate;
  const { number, title, layout, names_then, timezone, inspected_at, issued_at, expires_at } = certificate;
  const { organization, asset, location, client } = names_then;
  const status = statusAt(certificate, now);
  const address = publicUrl('verify', number);
  const day = (at: string) => dayText(language, timezone, at);
  const rows: (readonly [string, string | null | undefined])[] = [
    [texts.asset, asset && [asset.name, asset.kind].filter(Boolean).join(' · ')],
    [texts.serial, asset?.serial],
    [texts.manufacturer, asset?.manufacturer],
    [texts.place, location && [...location.path, location.name].join(' › ')],
    ['', location?.address],
    [texts.client, client?.name],
    [texts.inspection, String(certificate.inspection_number)],
    [texts.inspected, day(inspected_at)],
    [texts.issued, day(issued_at)],
  ];
  const drawn = {
    language,
    direction: directionOf(language),
    organization,
    title,
    number,
    layout,
    rows: rows.flatMap(([label, value]) => (value ? [{ label, value }] : [])),
    until: { label: texts.until, value: day(expires_at) },
    issuer: texts.issuer,
    check: texts.check,
    address,
    isValid: status === 'valid',
    state: stateText(language, { status, expires_at, timezone }),
    at: plain(texts.at, { time: day(now) }),
  };
  return drawApart({
    language,
    template: besideCode('certificate', TEMPLATE),
    texts: { certificate: drawn },
    files: { 'qr.svg': qrSvg(address) },
    createdAt: 0,
  });
};

import { createHash } from 'node:crypto';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import type { Page } from './docs.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
html { background: light-dark(#fff, #121717); color: light-dark(#1b2328, #e4e9e8); }
body { margin: 0 auto; max-width: 58rem; padding: 1.5rem 1rem 4rem; overflow-wrap: break-word; }
h1 { line-height: 1.2; }
nav ol { padding-left: 1.25rem; }
a { color: light-dark(#0b5d56, #6fd3c6); }
pre { background: light-dark(#f3f5f5, #1d2323); border-radius: 6px; overflow-x: auto; padding: .75rem 1rem; }
code { font: .875em/1.5 ui-monospace, monospace; }
`;

/** A text as HTML shows it. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * A page of text, without anything from elsewhere.
 * @param style what it needs beside the usual
 * @param script what makes it handier; it reads well without
 */
export const textPage = (title: string, body: string, style = '', script = ''): Page => {
  const all = STYLE + style;
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(all)}`,
    ...(script ? [`script-src ${hashOf(script)}`] : []),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...SAFE_HEADERS,
      'content-security-policy': policy.join('; '),
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${all}</style>
${body}
${script && `<script>${script}</script>\n`}</html>
`,
  };
};

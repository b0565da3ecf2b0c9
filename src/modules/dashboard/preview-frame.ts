import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';

/** The built script; the same path for compiled files and, in tests, for sources. */
const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'dist', 'loader', 'preview.js');
const NONCE_BYTES = 16;

export const PREVIEW_FRAME = '/preview-frame';

/** A minimal page of a site, as the background of a banner. */
const STYLE = `
  html { color-scheme: light; background: #fff; --ink: #e3e8ee }
  html.dark { color-scheme: dark; background: #12161b; --ink: #2a323c }
  body { margin: 0; padding: 32px; font-family: sans-serif }
  .scenery i { display: block; height: 14px; margin: 0 0 14px; border-radius: 4px; background: var(--ink) }
  .scenery i:first-child { width: 40%; height: 30px }
  .scenery i:nth-child(4n) { width: 70%; margin-bottom: 34px }
`;

/**
 * The document in which the dashboard shows the real banner. Its origin is opaque even when it is opened
 * directly: it cannot reach cookies or the dashboard, and it can send nothing.
 */
export function previewFrame(): RequestHandler {
  if (!existsSync(SCRIPT)) throw new Error('The preview is not built. Run "npm run build".');
  const script = readFileSync(SCRIPT, 'utf8');
  return (_request, response) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; ` +
        "base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts",
    );
    response.setHeader('Cache-Control', 'no-store');
    // Browsers cannot key an opaque origin, and warn about the header in the console.
    response.removeHeader('Origin-Agent-Cluster');
    response
      .type('html')
      .send(
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title>` +
          `<meta name="viewport" content="width=device-width, initial-scale=1">` +
          `<style nonce="${nonce}">${STYLE}</style></head>` +
          `<body><div class="scenery" aria-hidden="true">${'<i></i>'.repeat(16)}</div>` +
          `<script nonce="${nonce}">${script}</script></body></html>`,
      );
  };
}

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the API answers itself; `npm run dev` hands it on. */
const OF_THE_API = [
  '/v1',
  '/cdn',
  '/docs',
  '/docs-json',
  '/health',
  '/demo',
  '/preview-frame',
  '/.well-known',
  '/log',
];

/** Where `npm run dev` finds the API. */
const API = `http://127.0.0.1:${process.env['PORT'] ?? '3000'}`;

export default defineConfig({
  plugins: [react()],
  // The service replaces it in each answer (src/app/dashboard.ts).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // Names what is loaded when, for the check of the size.
    manifest: 'manifest.json',
    // A picture in a style sheet would be an address that the policy has to allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    // The host stays as the browser has sent it: the service compares it with the page's origin.
    proxy: Object.fromEntries(OF_THE_API.map((path) => [path, { target: API }])),
  },
});

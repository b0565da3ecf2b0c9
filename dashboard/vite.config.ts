import react from '@vitejs/plugin-react';
import compile from 'icu-minify/compile';
import { defineConfig, type Plugin } from 'vite';
import { pagePreloads } from './page-preloads.ts';

/** Paths of the API, which `npm run dev` proxies. */
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

/** Libraries that every page needs, and that only change with their own releases. */
const CORE =
  /node_modules\/(react|react-dom|scheduler|@tanstack\/(history|router-core|react-router|store|react-store|query-core|react-query))\//;

/** What only pages with forms need. */
const FORMS = /node_modules\/(@mantine\/form|fast-deep-equal|klona)\//;

/** What only pages with a chart need, once the rest of them is drawn. */
const CHARTS = /node_modules\/uplot\/|\/src\/shared\/line-chart\.ts$/;

/** What pages are put together from. One file, so that it cannot need one that needs it. */
const PARTS = /node_modules\/(@mantine|@floating-ui|react-remove-scroll|clsx|tslib)\//;

/** Parses the ICU messages at build time: the parser would add 8 kB to each first load. */
const icuMessages: Plugin = {
  name: 'icu-messages',
  enforce: 'pre',
  transform: {
    filter: { id: /\/messages\/[\w.-]+\.json$/ },
    handler: (json) => JSON.stringify(compileAll(JSON.parse(json))),
  },
};

const compileAll = (messages: unknown): unknown =>
  typeof messages === 'string'
    ? compile(messages)
    : Object.fromEntries(
        Object.entries(messages as object).map(([key, message]) => [key, compileAll(message)]),
      );

/**
 * Modules that only a few pages share: each group is a file that other pages do not load. Modules of routes are not
 * among them, because all pages load routes.
 */
const PAIRED = [
  [
    'invitations',
    /\/features\/(account\/own-invitations|organizations\/roles-text)|\/shared\/page-of-joined/,
  ],
  ['audit', /\/features\/audit\/(?!filters|audit\.)/],
  ['evidence', /\/features\/evidence\//],
  ['members', /\/features\/settings\/(invitation-|invite-|leave-|member-columns|role-facts)/],
  ['privacy', /\/features\/privacy\/erase-/],
  ['scans', /\/features\/scans\/(?!search|scans\.route)/],
  ['sign-in', /\/features\/sign-in\/(check-inbox|expired-link)|\/shared\/auth-layout/],
  ['projects', /\/features\/projects\/(attention-|columns|project-(filter|health|list))/],
] as const;

/** The service replaces it in each answer (src/modules/dashboard/dashboard.ts). */
const NONCE = '__CSP_NONCE__';

export default defineConfig({
  plugins: [icuMessages, react(), pagePreloads(NONCE)],
  // The formatter for messages that are already parsed.
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  html: { cspNonce: NONCE },
  build: {
    target: 'es2023',
    // Lists which file loads which others, for the preloads and the size check.
    manifest: 'manifest.json',
    // A picture in a style sheet would be an address that the policy has to allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Shared chunks are named only by their hash: the names of all pages that share one would
        // be too long.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'core', priority: 3, test: CORE },
            { name: 'forms', priority: 3, test: FORMS },
            { name: 'charts', priority: 3, test: CHARTS },
            { name: 'parts', priority: 2, test: PARTS, minShareCount: 4 },
            // Otherwise each small part that two pages share is a separate file, and a page requests forty of them.
            {
              name: 'shared',
              priority: 1,
              minShareCount: 2,
              test: (id) => !PAIRED.some(([, test]) => test.test(id)),
            },
            ...PAIRED.map(([name, test]) => ({
              name,
              test,
              minShareCount: 2,
              // Their imports stay in `shared`.
              includeDependenciesRecursively: false,
            })),
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The host stays as the browser has sent it: the service compares it with the page's origin.
    proxy: Object.fromEntries(OF_THE_API.map((path) => [path, { target: API }])),
  },
});

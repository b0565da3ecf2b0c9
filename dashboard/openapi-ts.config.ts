import { defineConfig } from '@hey-api/openapi-ts';

/** The client of the API, generated from the committed contract by each build; never written by hand. */
export default defineConfig({
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false },
    '@hey-api/sdk',
    '@tanstack/react-query',
  ],
});

import { defineConfig } from '@hey-api/openapi-ts';

/** The client of the API, generated from the committed contract by `scripts/build-packages.mjs`. */
export default defineConfig({
  plugins: [{ name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false }, '@hey-api/sdk'],
});

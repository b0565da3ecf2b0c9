/** The client of the API: one function for each operation, and `client` to configure it. For servers. */
export { client } from './api/client.gen.js';
export * from './api/index.js';

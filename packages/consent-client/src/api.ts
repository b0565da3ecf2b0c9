/** The client of the API: one function for each operation, and `client` to configure it. For servers. */
import { client } from './api/client.gen.js';
import { toError } from './api-error.js';

client.interceptors.error.use(toError);

export { client };
export { ApiError } from './api-error.js';
export * from './api/index.js';

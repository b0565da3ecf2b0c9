export { mountIngest } from './http/ingest.js';

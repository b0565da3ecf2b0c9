export { serveIngest } from './http/ingest.js';

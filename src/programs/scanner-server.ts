import { createServer } from 'node:http';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { limitPipelining } from '../platform/http/pipelining.js';
import { listenOn } from './http-server.js';

interface ScannerServerOptions {
  port: number;
  host: string;
  registry: Registry;
  /** Whether the scanner reaches the database. */
  isReady: () => boolean;
}

/**
 * Health and metrics of a scanner, for probes and Prometheus. Returns a function that closes it.
 */
export async function serveScanner({
  port,
  host,
  registry,
  isReady,
}: ScannerServerOptions): Promise<() => void> {
  collectDefaultMetrics({ register: registry });
  const server = createServer((request, response) => {
    const send = (status: number, body: string, type = 'application/json'): void =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    switch (`${request.method} ${request.url?.split('?')[0]}`) {
      case 'GET /metrics':
        return void registry.metrics().then(
          (text) => send(200, text, registry.contentType),
          () => send(500, ''),
        );
      case 'GET /health/live':
        return send(200, '{"status":"ok"}');
      case 'GET /health/ready':
        return isReady() ? send(200, '{"status":"ok"}') : send(503, '{"status":"error"}');
      default:
        return send(404, '{"status":"error"}');
    }
  });
  limitPipelining(server);
  await listenOn(server, { port, host, setting: 'SCANNER_PORT' });
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { v7 } from 'uuid';

/**
 * The one outbound call that every peer makes: the same body and headers as ours, over kept connections.
 * @param {{ caFile: string, connections: number }} options
 */
export function makeSender({ caFile, connections }) {
  const dispatcher = new Agent({
    connect: { ca: readFileSync(caFile, 'utf8') },
    connections,
    pipelining: 1,
  });
  const projectId = v7();
  return async (/** @type {string} */ url, /** @type {string} */ id) => {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: 'POST',
      headers: {
        authorization: 'Bearer 0123456789012345678901234567890123456789012',
        'x-service-project-id': projectId,
        'x-service-consent-id': id,
        'user-agent': 'bare',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'webhook-id': id,
      },
      body: JSON.stringify({
        schemaVersion: 1,
        id,
        projectId,
        analytics: true,
        marketing: false,
        preferences: true,
        action: 'custom',
        hostname: 'www.example.com',
        receivedAt: new Date().toISOString(),
        language: 'de',
      }),
    });
    await body.dump();
    if (statusCode !== 204) throw new Error(`the receiver answered ${statusCode}`);
  };
}

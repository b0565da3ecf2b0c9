import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { v7 } from 'uuid';

/** As long as what goes with a record that is sealed (docs/receiver.md). */
const EVIDENCE = {
  salt: randomBytes(32).toString('base64'),
  commitment: randomBytes(32).toString('base64'),
  checkpoint: `localhost/${v7()}\n20000\n${randomBytes(32).toString('base64')}\n\n— localhost ${randomBytes(68).toString('base64')}\n`,
};

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
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
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
        evidence: EVIDENCE,
      }),
    });
    await body.dump();
    if (statusCode !== 204) throw new Error(`the receiver answered ${statusCode}`);
  };
}

// A helper: the bare `undici.request` loop that the dispatch is compared with: the same body and headers over
// kept connections, as many at once as the worker has slots. It reads no outbox and writes no outcome.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';

/** @type {Agent | null} */
let agent = null;

answerCalls({
  /** @param {{ url: string, caFile: string, count: number, concurrency: number }} args */
  send: async ({ url, caFile, count, concurrency }) => {
    agent ??= new Agent({
      connect: { ca: readFileSync(caFile, 'utf8') },
      connections: concurrency,
      pipelining: 1,
    });
    const dispatcher = agent;
    const projectId = v7();
    const startedMs = performance.now();
    let begun = 0;
    const loop = async () => {
      while (begun < count) {
        begun += 1;
        const id = v7();
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
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    return { perSecond: (count / (performance.now() - startedMs)) * 1000 };
  },
});

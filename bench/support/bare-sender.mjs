// A helper: the bare `undici.request` loop that the dispatch is compared with: the same body and headers over
// kept connections, as many at once as the worker has slots. It reads no outbox and writes no outcome.
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';
import { makeSender } from './sending.mjs';

/** @type {ReturnType<typeof makeSender> | null} */
let sender = null;

answerCalls({
  /** @param {{ url: string, caFile: string, count: number, concurrency: number }} args */
  send: async ({ url, caFile, count, concurrency }) => {
    sender ??= makeSender({ caFile, connections: concurrency });
    const send = sender;
    const startedMs = performance.now();
    let begun = 0;
    const loop = async () => {
      while (begun < count) {
        begun += 1;
        await send(url, v7());
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    return { perSecond: (count / (performance.now() - startedMs)) * 1000 };
  },
});

// The owner's HTTPS endpoint, in a separate process. Of each request it keeps only the record's id.
import { type Behaviour, makeTestAuthority, startReceiver } from '../support/fakes/receiver.js';
import type { ReceiverCall, ReceiverReply } from './receiver-handle.js';

/** Requests are counted and forgotten this often, so that a long run does not fill the memory. */
const COUNT_EVERY_MS = 200;
/** The service cannot know whether a receiver took a request that it broke off like this, and may send it again. */
const BREAKING: readonly Behaviour['kind'][] = ['reset', 'reset_mid_head', 'garbage'];

const { authority, caFile, remove } = await makeTestAuthority();
const hosts = JSON.parse(process.env['LAB_HOSTS'] ?? '[]') as string[];
const [address = '127.0.0.1'] = hosts;
const receiver = await startReceiver(authority, { hosts, address });
let behaviour: Behaviour = { kind: 'answer', status: 204 };
/** How often each record came whole, and how often it came and was broken off. */
const taken = new Map<string, number>();
const broken = new Map<string, number>();

function count(): void {
  const into = BREAKING.includes(behaviour.kind) ? broken : taken;
  for (const { headers } of receiver.requests.splice(0)) {
    const id = String(headers['webhook-id']);
    into.set(id, (into.get(id) ?? 0) + 1);
  }
}
setInterval(count, COUNT_EVERY_MS);

function answer({ call, behaviour: next }: ReceiverCall): unknown {
  // Counted under the behaviour that these requests met.
  count();
  switch (call) {
    case 'behave':
      behaviour = next ?? { kind: 'answer', status: 204 };
      return receiver.behave(behaviour);
    case 'disconnectIdle':
      return receiver.disconnectIdle();
    case 'counts':
      return { taken, broken };
  }
}

process.on('message', (call: ReceiverCall) => {
  process.send?.({ id: call.id, result: answer(call) } satisfies ReceiverReply);
});
process.once('disconnect', () => {
  remove();
  process.exit(0);
});
process.send?.({ id: 0, result: { port: receiver.port, caFile } } satisfies ReceiverReply);

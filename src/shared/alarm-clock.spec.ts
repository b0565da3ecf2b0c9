import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AlarmClock } from './alarm-clock.js';

/** Far enough apart for a busy machine to tell them apart. */
const STEP_MS = 150;

function setup() {
  const clock = new AlarmClock();
  const rung: string[] = [];
  const sleeper = (name: string) => ({ onAlarm: () => rung.push(name) });
  const inSteps = (count: number) => performance.now() + count * STEP_MS;
  return { clock, rung, sleeper, inSteps };
}

describe(AlarmClock.name, () => {
  it('wakes each at its instant, whatever the order in which they were set', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    clock.set(sleeper('third'), inSteps(3));
    clock.set(sleeper('first'), inSteps(1));
    clock.set(sleeper('second'), inSteps(2));
    await sleep(STEP_MS / 2);
    expect(rung).toEqual([]);
    await sleep(STEP_MS);
    expect(rung).toEqual(['first']);
    await sleep(2 * STEP_MS);
    expect(rung).toEqual(['first', 'second', 'third']);
  });

  it('wakes nobody who was cleared, and everybody once', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    const cleared = sleeper('cleared');
    clock.set(cleared, inSteps(1));
    clock.set(sleeper('kept'), inSteps(1));
    clock.clear(cleared);
    await sleep(3 * STEP_MS);
    expect(rung).toEqual(['kept']);
  });

  it('goes by the last instant that was set, earlier or later', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    const [sooner, later] = [sleeper('sooner'), sleeper('later')];
    clock.set(sooner, inSteps(20));
    clock.set(later, inSteps(1));
    clock.set(sooner, inSteps(1));
    clock.set(later, inSteps(3));
    await sleep(2 * STEP_MS);
    expect(rung).toEqual(['sooner']);
    await sleep(2 * STEP_MS);
    expect(rung).toEqual(['sooner', 'later']);
  });

  it('wakes nobody whose answer has come, though the process was paused until after the instant', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    const server = createServer((socket) => socket.end('an answer')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(server, 'connection');
    const answered = sleeper('too late');
    socket.once('data', () => clock.clear(answered));
    clock.set(answered, inSteps(1));
    const until = inSteps(2);
    while (performance.now() < until);
    await sleep(STEP_MS);
    socket.destroy();
    server.close();
    expect(rung).toEqual([]);
  });

  it('wakes one that sets itself anew', async () => {
    const { clock, rung, inSteps } = setup();
    const again = {
      onAlarm: () => {
        rung.push('again');
        if (rung.length < 3) clock.set(again, performance.now());
      },
    };
    clock.set(again, inSteps(0));
    await sleep(STEP_MS);
    expect(rung).toEqual(['again', 'again', 'again']);
  });
});

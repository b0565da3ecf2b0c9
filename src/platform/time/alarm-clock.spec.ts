import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AlarmClock, NO_ALARM } from './alarm-clock.js';

const STEP_MS = 150;

function setup() {
  const clock = new AlarmClock();
  const rung: string[] = [];
  const sleeper = (name: string) => ({ place: NO_ALARM, onAlarm: () => void rung.push(name) });
  const inSteps = (count: number) => performance.now() + count * STEP_MS;
  return { clock, rung, sleeper, inSteps };
}

describe(AlarmClock.name, () => {
  let nowMs: number;

  /** Fake time: a busy machine would skip a step now and then. */
  beforeEach(() => {
    nowMs = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => nowMs);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  const pass = async (steps: number): Promise<void> => {
    for (const end = nowMs + steps * STEP_MS; nowMs < end;) {
      nowMs += 1;
      mock.timers.tick(1);
      await new Promise((wake) => setImmediate(wake));
    }
  };

  it('wakes each at its instant, whatever the order in which they were set', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    clock.set(sleeper('third'), inSteps(3));
    clock.set(sleeper('first'), inSteps(1));
    clock.set(sleeper('second'), inSteps(2));
    await pass(0.9);
    expect(rung).toEqual([]);
    await pass(0.1);
    expect(rung).toEqual(['first']);
    await pass(1);
    expect(rung).toEqual(['first', 'second']);
    await pass(1);
    expect(rung).toEqual(['first', 'second', 'third']);
  });

  it('wakes nobody who was cleared, and everybody once', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    const cleared = sleeper('cleared');
    clock.set(cleared, inSteps(1));
    clock.set(sleeper('kept'), inSteps(1));
    clock.clear(cleared);
    await pass(3);
    expect(rung).toEqual(['kept']);
  });

  it('goes by the last instant that was set, earlier or later', async () => {
    const { clock, rung, sleeper, inSteps } = setup();
    const [sooner, later] = [sleeper('sooner'), sleeper('later')];
    clock.set(sooner, inSteps(20));
    clock.set(later, inSteps(1));
    clock.set(sooner, inSteps(1));
    clock.set(later, inSteps(3));
    await pass(2);
    expect(rung).toEqual(['sooner']);
    await pass(2);
    expect(rung).toEqual(['sooner', 'later']);
  });

  it('wakes one that sets itself anew', async () => {
    const { clock, rung, inSteps } = setup();
    const again = {
      place: NO_ALARM,
      onAlarm: () => {
        rung.push('again');
        if (rung.length < 3) clock.set(again, performance.now());
      },
    };
    clock.set(again, inSteps(0));
    await pass(1);
    expect(rung).toEqual(['again', 'again', 'again']);
  });
});

describe('a process that was paused', () => {
  it('wakes nobody whose answer had come before it was', async () => {
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
});

import { readlink, rename, symlink } from 'node:fs/promises';
import { killPostgres, signalPostgres } from '../support/programs/processes.js';
import type { Behaviour } from '../support/fakes/receiver.js';
import { until } from '../support/until.js';
import { type Absence, areRetriesQueued, haveRetries, latestHolder, lookAtHolds } from './absences.js';
import { WORKER_USERS } from './audit.js';
import { fillDisk, freeDisk } from './disk.js';
import { HEALTHY, Installation, LEASE_MS } from './installation.js';
import type { LabSetup } from './lab.js';
import { isAllowed } from './load.js';
import type { Outages, Part } from './outages.js';
import { pause } from './pause.js';
import type { FaultKind, Round } from './plan.js';
import { NAMED_HOSTS, type Role, type Services } from './services.js';

export const CLOCK_OFFSET_MS = 5 * 60_000;
const FLOOD_BYTES = 10 * 1024 * 1024;
/** Longer than one try of the resolver may take, so that some names are found late and some not at all. */
const SLOW_DNS_MS = 700;
/** So late is an answer while a stopped worker's messages are taken over: they are in the other one's hands when it wakes. */
const SLOW_ANSWER_MS = 1_500;
/** The worker wakes so long after its leases ended: time enough to be taken over, too little to be settled. */
const PAST_LEASE_MS = 700;
const FLUSHES = 3;
/** As many as there are partitions, so a full ring. The pauses are long enough for messages to move. */
const ROTATIONS = 4;
const ROTATION_MS = 800;
/** Slow enough that something is in flight whenever a worker is killed. */
const AWAY = { kind: 'slow', status: 503, afterMs: 1_000 } as const;
/** Without delay, so that many records fail before a worker is killed. */
const REFUSING = { kind: 'answer', status: 503 } as const;
/** Attempts are frequent enough for some to fail at once. */
const RETRIES_DEADLINE_MS = 5_000;
/** The first retry is due after five to six seconds; behind a hold it follows the next probe. */
const RETRIED_DEADLINE_MS = 15_000;
/** Records come for this time before a worker is killed; no project is held yet. */
const AWAY_BEFORE_KILL_MS = 2_500;
/** A hold takes five failures over five seconds, and a killed worker's outcomes wait for their lease. */
const HELD_DEADLINE_MS = 15_000;
/** The first probe comes five to six seconds after the hold. */
const PROBE_DEADLINE_MS = 10_000;

/** The targets of a fault. */
interface Lab {
  installation: Installation;
  outages: Outages;
  absences: Absence[];
}

/** Makes the round's fault happen and undoes it. */
type Fault = (lab: Lab, round: Round) => Promise<void>;

const PACE = { callers: 24, perSecond: 160 };

/** The lab of `npm run faults` on one machine, with the built service in `programs`. */
export function processFaults(programs: string, rounds: Round[]): LabSetup<Round, Installation> {
  const wantsDisk = rounds.some(({ kind }) => kind === 'disk-full');
  return {
    pace: PACE,
    start: () => Installation.start({ programs, wantsDisk }),
    skipped: ({ disk }, { kind }) => (kind === 'disk-full' && disk.kind === 'none' ? disk.reason : null),
    cause: (lab, round) => FAULTS[round.kind](lab, round),
    isAllowed,
  };
}

const FAULTS: Record<FaultKind, Fault> = {
  'kill-api': killed('api'),
  'kill-worker': killed('worker'),
  'kill-postgres': ({ installation, outages }, { holdMs }) =>
    outages.during('postgres', async () => {
      await killPostgres(installation.postgresDir);
      await pause(holdMs);
      await installation.revivePostgres();
    }),
  'kill-redis': ({ installation, outages }, { holdMs }) =>
    outages.during('redis', async () => {
      await installation.redis.kill();
      await pause(holdMs);
      await installation.redis.revive();
    }),
  'stop-api': stopped('api'),
  'stop-worker': stopped('worker'),
  'stop-worker-past-lease': async (lab, round) => {
    await stopped('worker')(lab, { ...round, holdMs: LEASE_MS + PAST_LEASE_MS }, () =>
      lab.installation.receiver.behave({ kind: 'slow', status: 204, afterMs: SLOW_ANSWER_MS }),
    );
    await lab.installation.receiver.behave(HEALTHY);
  },
  'stop-postgres': ({ installation, outages }, { holdMs }) =>
    outages.during(
      'postgres',
      async () => {
        signalPostgres(installation.postgresDir, 'SIGSTOP');
        await pause(holdMs);
        signalPostgres(installation.postgresDir, 'SIGCONT');
      },
      { stopped: true },
    ),
  'flush-redis': async ({ installation }, { holdMs }) => {
    for (let time = 0; time < FLUSHES; time++) {
      await installation.redis.flushAll();
      await pause(holdMs / FLUSHES);
    }
  },
  'rotate-outbox': async (lab, round) => {
    for (let time = 0; time < ROTATIONS; time++) {
      await lab.installation.withDatabase((client) =>
        client.query(
          `select outbox_open((part + 1) % ${ROTATIONS}) from outbox_opening order by id desc limit 1`,
        ),
      );
      await pause(ROTATION_MS);
    }
    await killed('worker')(lab, round);
  },
  'disk-full': ({ installation, outages }, { holdMs }) =>
    outages.during('postgres', async () => {
      const { disk } = installation;
      if (disk.kind === 'none') throw new Error('there is no disk to fill');
      await fillDisk(disk.folder);
      await pause(holdMs);
      freeDisk(disk.folder);
      // A server that could not write its log has exited, as it must; its supervisor restarts it.
      await installation.revivePostgres();
    }),
  'storage-away': async ({ installation: { evidenceFolder } }, { holdMs }) => {
    // The folder leads to a place where nothing can be written or read, from one instant to the next.
    const [there, away] = [`${evidenceFolder}.there`, `${evidenceFolder}.away`];
    await symlink(await readlink(evidenceFolder), there);
    await symlink('/dev/null/nowhere', away);
    await rename(away, evidenceFolder);
    await pause(holdMs);
    await rename(there, evidenceFolder);
  },
  'clock-ahead': wrongClock(CLOCK_OFFSET_MS),
  'clock-behind': wrongClock(-CLOCK_OFFSET_MS),
  'database-clock-ahead': wrongDatabaseClock(CLOCK_OFFSET_MS),
  'database-clock-behind': wrongDatabaseClock(-CLOCK_OFFSET_MS),
  'receiver-hangs': behaving({ kind: 'hang' }),
  'receiver-drips': behaving({ kind: 'drip' }),
  'receiver-resets': behaving({ kind: 'reset' }),
  'receiver-garbage': behaving({ kind: 'garbage' }),
  'receiver-floods': behaving({ kind: 'flood', bytes: FLOOD_BYTES }),
  'receiver-500': behaving({ kind: 'answer', status: 500, body: 'no' }),
  'receiver-away': async (lab, round) => {
    const { installation, absences } = lab;
    const fromMs = Date.now();
    await installation.receiver.behave(AWAY);
    await pause(AWAY_BEFORE_KILL_MS);
    await killed('worker')(lab, round);
    await within(HELD_DEADLINE_MS, async () => {
      const { heldSinceMs } = await installation.withDatabase(lookAtHolds);
      return [...heldSinceMs.values()].every((since) => since !== null);
    });
    await killProbing(lab, round);
    await pause(round.holdMs);
    const seen = await installation.withDatabase(lookAtHolds);
    absences.push({ fromMs, toMs: Date.now(), ...seen });
    await installation.receiver.behave(HEALTHY);
  },
  // The other worker queues the retries that wait, and the receiver gets them while one is killed again.
  'retrying-worker-lost': async (lab, round) => {
    const { installation } = lab;
    await installation.receiver.behave(REFUSING);
    await within(RETRIES_DEADLINE_MS, () => installation.withDatabase(haveRetries));
    const killing = killed('worker')(lab, round);
    // Before a hold begins, behind which retries would wait for longer.
    await installation.receiver.behave({ kind: 'slow', status: 204, afterMs: SLOW_ANSWER_MS });
    await killing;
    await within(RETRIED_DEADLINE_MS, () => installation.withDatabase(areRetriesQueued));
    await killed('worker')(lab, { ...round, target: round.target === 0 ? 1 : 0 });
    await installation.receiver.behave(HEALTHY);
  },
  'dns-slow': async ({ installation }, { holdMs }) => {
    installation.dns.answerAfter(SLOW_DNS_MS);
    await askingNamesAnew(installation, holdMs);
    installation.dns.answerAfter(0);
  },
  'dns-fails': async ({ installation }, { holdMs }) => {
    const [unknown = '', unanswered = ''] = NAMED_HOSTS;
    installation.names[unknown] = [];
    installation.names[unanswered] = null;
    await askingNamesAnew(installation, holdMs);
    for (const name of NAMED_HOSTS) installation.names[name] = ['127.0.0.1'];
  },
};

/** `kill -9`, and a fresh start after a while. */
function killed(role: Role): Fault {
  return ({ installation, outages }, { target, holdMs }) =>
    outages.during(partOf(role, target), async () => {
      await installation.service(role, target).kill();
      await pause(holdMs);
      await installation.startService(role, target);
    });
}

/** Kills the worker that has the next probe in its hands. */
async function killProbing(lab: Lab, round: Round): Promise<void> {
  const sinceMs = Date.now();
  let holder: string | null = null;
  await within(PROBE_DEADLINE_MS, async () => {
    holder = await lab.installation.withDatabase((client) => latestHolder(client, sinceMs));
    return holder !== null;
  });
  const target = WORKER_USERS.findIndex((user) => user === holder);
  if (target === 0 || target === 1) await killed('worker')(lab, { ...round, target });
}

/** Waits for something, but not for ever: what did not come about is for the rules to judge. */
async function within(deadlineMs: number, isSo: () => Promise<boolean>): Promise<void> {
  await until('what may come about', isSo, deadlineMs).catch(() => {});
}

/** The process is paused and then resumed. */
function stopped(role: Role) {
  return ({ installation, outages }: Lab, { target, holdMs }: Round, meanwhile?: () => Promise<void>) =>
    outages.during(
      partOf(role, target),
      async () => {
        installation.service(role, target).signal('SIGSTOP');
        await meanwhile?.();
        await pause(holdMs);
        installation.service(role, target).signal('SIGCONT');
      },
      { stopped: true },
    );
}

interface ClockLab {
  installation: Services;
}
type ClockRound = Pick<Round, 'target' | 'holdMs'>;

/** A worker is started again with a clock that is wrong, and later with a right one: both by an orderly stop. */
export function wrongClock(offsetMs: number): (lab: ClockLab, round: ClockRound) => Promise<void> {
  return async ({ installation }, { target, holdMs }) => {
    for (const offset of [offsetMs, 0]) {
      const { code } = await installation.service('worker', target).stop();
      if (code !== 0) throw new Error(`worker ${target} ended with ${code} when it was asked to stop`);
      await installation.startService('worker', target, offset);
      if (offset !== 0) await pause(holdMs);
    }
  };
}

/** The clock of PostgreSQL steps, and back again: records that are stored in between bear its instants. */
export function wrongDatabaseClock(offsetMs: number): (lab: ClockLab, round: ClockRound) => Promise<void> {
  return async ({ installation }, { holdMs }) => {
    await installation.setDatabaseClock(offsetMs);
    await pause(holdMs);
    await installation.setDatabaseClock(0);
  };
}

function behaving(behaviour: Behaviour): Fault {
  return async ({ installation }, { holdMs }) => {
    await installation.receiver.behave(behaviour);
    await pause(holdMs);
    await installation.receiver.behave(HEALTHY);
  };
}

/** A kept connection asks for no name: they are closed, so that new ones must be made. */
async function askingNamesAnew(installation: Installation, holdMs: number): Promise<void> {
  const end = performance.now() + holdMs;
  while (performance.now() < end) {
    await installation.receiver.disconnectIdle();
    await pause(100);
  }
}

function partOf(role: Role, target: 0 | 1): Part {
  return `${role}-${target}`;
}

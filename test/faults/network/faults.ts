import { CLOCK_OFFSET_MS, wrongClock, wrongDatabaseClock } from '../faults.js';
import type { LabSetup, RunningLab } from '../lab.js';
import type { Trouble } from '../load.js';
import type { Outages, Part } from '../outages.js';
import { pause } from '../pause.js';
import { NetworkInstallation } from './installation.js';
import type { Impairment } from './network.js';
import { touchesStorage } from './parts.js';
import { meets, type NetworkKind, type NetworkRound } from './plan.js';
import { slowDisk, slowDiskRefusal } from './slow-disk.js';

const DELAY: Impairment = { delayMs: 200, jitterMs: 100 };
const LOSS: Impairment = { lossPercent: 5 };
const DUPLICATION: Impairment = { duplicatePercent: 5 };
/** Broken connections and retransmissions have effects for this time after a fault. */
const AFTERMATH_MS = 3_000;
const CALLERS_PER_SECOND = 4;

type Lab = RunningLab<NetworkInstallation>;
type Fault = (installation: NetworkInstallation, round: NetworkRound) => Promise<void>;

const FAULTS: Record<NetworkKind, Fault> = {
  partition: cutting({ oneWay: false }),
  'partition-one-way': cutting({ oneWay: true }),
  'cut-off': async (installation, { part, holdMs }) => {
    await installation.network.cutOff(await installation.partOf(part));
    await pause(holdMs);
  },
  delay: impaired(DELAY),
  loss: impaired(LOSS),
  duplicate: impaired(DUPLICATION),
  'half-open': async (installation, { link: [one, other], holdMs }) => {
    await installation.network.silence(await installation.partOf(one), await installation.partOf(other));
    await pause(holdMs);
  },
  'dns-away': async ({ network }, { holdMs }) => {
    await network.cutOff('dns');
    await pause(holdMs);
  },
  'slow-disk': async ({ database }, { holdMs }) => {
    const undo = slowDisk(database.dataFolder(await database.serverOf('primary')));
    await pause(holdMs).finally(undo);
  },
  'worker-clock-ahead': (installation, round) => wrongClock(CLOCK_OFFSET_MS)({ installation }, round),
  'worker-clock-behind': (installation, round) => wrongClock(-CLOCK_OFFSET_MS)({ installation }, round),
  'database-clock-ahead': (installation, round) =>
    wrongDatabaseClock(CLOCK_OFFSET_MS)({ installation }, round),
  'database-clock-behind': (installation, round) =>
    wrongDatabaseClock(-CLOCK_OFFSET_MS)({ installation }, round),
  // The lease expires, and a standby is promoted. The former primary has demoted itself by then.
  'primary-cut-off': async ({ network, database }, { holdMs }) => {
    const former = await database.serverOf('primary');
    await network.cutOff(former);
    await database.another(former);
    await pause(holdMs);
  },
  // Patroni is suspended, so the former primary accepts connections and writes beside the new one, until its machine is
  // reset, by a watchdog or an operator (docs/run.md: why a suspended Patroni must not be resumed).
  'primary-unfenced': async ({ programs, database }, { holdMs }) => {
    const former = await database.serverOf('primary');
    programs.signal(former, 'SIGSTOP');
    try {
      await database.another(former);
      await pause(holdMs);
    } finally {
      await database.reset(former);
    }
  },
  switchover: ({ database }) => database.switchOver(),
  'pgbouncer-restart': ({ programs }, { holdMs }) => programs.restart('bouncer', () => pause(holdMs)),
  'redis-empty': ({ programs }, { holdMs }) => programs.restart('redis', () => pause(holdMs)),
};

/** The lab of `npm run faults -- --network`, with the built service in `programs`. */
export function networkFaults(options: {
  programs: string;
  perSecond: number;
  rounds: readonly NetworkRound[];
}): LabSetup<NetworkRound, NetworkInstallation> {
  const { programs, perSecond, rounds } = options;
  const refusal = rounds.some(({ kind }) => kind === 'slow-disk') ? slowDiskRefusal() : null;
  return {
    pace: { callers: Math.ceil(perSecond / CALLERS_PER_SECOND), perSecond },
    start: () => NetworkInstallation.start(programs),
    skipped: (_, { kind }) => (kind === 'slow-disk' ? refusal : null),
    cause: during,
    isAllowed,
  };
}

/** Causes the fault and records its outages, which last until everything is ready again. */
async function during({ installation, outages }: Lab, round: NetworkRound): Promise<void> {
  const away = partsAway(round);
  const fault = async (): Promise<void> => {
    await FAULTS[round.kind](installation, round).finally(() => installation.network.join());
    if (away.length > 0) await installation.healed();
  };
  await away.reduce((inner, part) => () => outages.during(part, inner, { stopped: true }), fault)();
}

/** The unavailable parts by the rules' names: PgBouncer and the standby count as PostgreSQL. */
function partsAway(round: NetworkRound): Part[] {
  const met = meets(round);
  const services = met.filter((part) => part.startsWith('api-') || part.startsWith('worker-')) as Part[];
  if (touchesStorage(met)) services.push('postgres');
  if (round.kind === 'cut-off' && round.part === 'proxy') services.push('proxy');
  return services;
}

/** Callers may only see 503 with Retry-After, and only while records cannot be stored. */
function isAllowed({ what, fromMs, toMs }: Trouble, outages: Outages): boolean {
  const isAway = (part: Part): boolean => outages.met(part, fromMs, toMs, AFTERMATH_MS);
  return what === 'unavailable' && (isAway('postgres') || isAway('proxy'));
}

function cutting(options: { oneWay: boolean }): Fault {
  return async (installation, { link: [from, to], holdMs }) => {
    await installation.network.cut(await installation.partOf(from), await installation.partOf(to), options);
    await pause(holdMs);
  };
}

function impaired(impairment: Impairment): Fault {
  return async (installation, { part, holdMs }) => {
    const undo = await installation.network.impair(await installation.partOf(part), impairment);
    await pause(holdMs).finally(undo);
  };
}

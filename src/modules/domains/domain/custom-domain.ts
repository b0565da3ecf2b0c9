/** `released` is not a state: the row is deleted, and the hostname is available to others. */
export const DOMAIN_STATES = ['pending', 'verified', 'active', 'failing', 'suspended'] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** States in which the host serves the project's banner. */
export const SERVING_STATES: readonly DomainState[] = ['verified', 'active', 'failing'];

/** Why the last check was not good. */
export const DOMAIN_PROBLEMS = [
  'no_record',
  'address_record',
  'wrong_token',
  'other_target',
  'resolvers_disagree',
  'resolvers_failed',
  'outside_project',
  'claimed',
] as const;
export type DomainProblem = (typeof DOMAIN_PROBLEMS)[number];

export const DOMAIN_METHODS = ['cname', 'txt'] as const;
/** The record that proves control. */
export type DomainMethod = (typeof DOMAIN_METHODS)[number];

export interface CustomDomain {
  id: string;
  projectId: string;
  hostname: string;
  /**
   * Derived from project and hostname when the domain was added; stored, so that a rotation of keys
   * does not change it.
   */
  token: string;
  state: DomainState;
  stateSince: Date;
  createdAt: Date;
  checkedAt: Date | null;
  /** Last good check. */
  goodAt: Date | null;
  nextCheckAt: Date;
  method: DomainMethod | null;
  problem: DomainProblem | null;
  /** The unexpected value that DNS returned; null: none. */
  found: string | null;
  /** Whether the last check could read the CAA records. */
  caaKnown: boolean;
  /** CAs that the domain's CAA records allow; null: no such record, so any CA, or unknown. */
  caaIssuers: string[] | null;
  /** When owners were mailed before suspension or release; null: not in this state. */
  warnedAt: Date | null;
  /** Last time the edge was allowed a certificate. */
  certificateAskedAt: Date | null;
  /** Last request over the host, to the hour. */
  seenAt: Date | null;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A pending or failing host is checked this often, and any host after a check without a result. */
export const CHECK_SOON_MS = HOUR_MS;
/** Other hosts: daily, with time left for another check before `GOOD_FOR_MS` ends. */
export const CHECK_DAILY_MS = 20 * HOUR_MS;
/** A host gets no new certificate, and an unclear check counts as a bad one, this long after its last good check. */
export const GOOD_FOR_MS = DAY_MS;
const FAILING_FOR_MS = 7 * DAY_MS;
const SUSPENDED_FOR_MS = 30 * DAY_MS;
/** A domain that was never verified is deleted. */
const PENDING_FOR_MS = 30 * DAY_MS;
/** Owners are mailed this long before suspension and release, even if checks were late. */
const WARN_BEFORE_SUSPENSION_MS = DAY_MS;
const WARN_BEFORE_RELEASE_MS = 3 * DAY_MS;

/** good: every resolver found the record; bad: every resolver found that it is missing; unclear: anything else. */
export type CheckResult = 'good' | 'bad' | 'unclear';

/** State and history of a domain. */
export interface DomainLife {
  state: DomainState;
  stateSince: Date;
  goodAt: Date | null;
  warnedAt: Date | null;
  /** Whether a request was ever served over the host. */
  seen: boolean;
}

/** A mail to the owners. */
export type DomainNotice = 'failing' | 'suspending' | 'releasing';

export type NextLife =
  { kind: 'kept'; life: DomainLife; notice: DomainNotice | null; checkInMs: number } | { kind: 'released' };

/** The state of a domain after a check. */
export function advanceLife(life: DomainLife, result: CheckResult, now: Date): NextLife {
  if (result === 'good') return kept(recover(life, now));
  const isBad = result === 'bad' || isOutdated(life, now);
  switch (life.state) {
    case 'pending':
      return ageMs(life.stateSince, now) >= PENDING_FOR_MS ? { kind: 'released' } : kept(life);
    case 'verified':
    case 'active':
      return isBad ? kept(enter(life, 'failing', now), 'failing') : kept(life, null, CHECK_SOON_MS);
    case 'failing':
      return expire(life, now, {
        afterMs: FAILING_FOR_MS,
        warnBeforeMs: WARN_BEFORE_SUSPENSION_MS,
        notice: 'suspending',
        end: () => kept(enter(life, 'suspended', now)),
      });
    case 'suspended':
      return expire(life, now, {
        afterMs: SUSPENDED_FOR_MS,
        warnBeforeMs: WARN_BEFORE_RELEASE_MS,
        notice: 'releasing',
        end: () => ({ kind: 'released' }),
      });
  }
}

/** When the state ends unless a check is good; null: it does not end. */
export function stateEndsAt({ state, stateSince }: Pick<DomainLife, 'state' | 'stateSince'>): Date | null {
  const forMs = { pending: PENDING_FOR_MS, failing: FAILING_FOR_MS, suspended: SUSPENDED_FOR_MS };
  return state in forMs ? new Date(stateSince.getTime() + forMs[state as keyof typeof forMs]) : null;
}

function recover(life: DomainLife, now: Date): DomainLife {
  const isServing = life.state === 'verified' || life.state === 'active';
  const next = isServing ? life : enter(life, life.seen ? 'active' : 'verified', now);
  return { ...next, goodAt: now };
}

/** Never checked successfully, or too long ago. */
function isOutdated({ goodAt }: DomainLife, now: Date): boolean {
  return goodAt === null || ageMs(goodAt, now) >= GOOD_FOR_MS;
}

function expire(
  life: DomainLife,
  now: Date,
  bounds: { afterMs: number; warnBeforeMs: number; notice: DomainNotice; end: () => NextLife },
): NextLife {
  const age = ageMs(life.stateSince, now);
  if (life.warnedAt === null) {
    if (age < bounds.afterMs - bounds.warnBeforeMs) return kept(life);
    return kept({ ...life, warnedAt: now }, bounds.notice);
  }
  const isOver = age >= bounds.afterMs && ageMs(life.warnedAt, now) >= bounds.warnBeforeMs;
  return isOver ? bounds.end() : kept(life);
}

function enter(life: DomainLife, state: DomainState, now: Date): DomainLife {
  return { ...life, state, stateSince: now, warnedAt: null };
}

function kept(
  life: DomainLife,
  notice: DomainNotice | null = null,
  checkInMs = life.state === 'pending' || life.state === 'failing' ? CHECK_SOON_MS : CHECK_DAILY_MS,
): NextLife {
  return { kind: 'kept', life, notice, checkInMs };
}

const ageMs = (at: Date, now: Date): number => now.getTime() - at.getTime();

import { originHost } from '../../modules/consent/domain/consent-input.js';
import type { PastRecord } from '../../modules/consent/infrastructure/past-record.rows.js';
import type { PastDelivery } from '../../modules/forwarding/application/past-deliveries.js';
import { judgeResponse } from '../../platform/delivery/domain/outcome.js';
import type { DeliveryOutcome } from '../../modules/forwarding/domain/delivery-outcome.js';
import { normalizeDomain } from '../../modules/projects/domain/domain-name.js';
import type { VisitRow } from '../../modules/visits/domain/visit-tally.js';
import { VisitTally } from '../../modules/visits/domain/visit-tally.js';
import type { BannerOutcome, Visit } from '../../modules/visits/domain/visit.js';
import { idAt } from '../../platform/identity/ids.js';

/** Parent domain of the hosts in generated records. */
const DEMO_DOMAIN = 'example.com';

/**
 * The domains of a demo project with generated records: the records' domains, and each of `hosts`
 * that the demo's page may be opened at. null: the project must list none, because one of these is
 * an address that others reach. No project can list an address, and choices made there would be
 * refused.
 */
export function demoDomains(hosts: readonly string[]): string[] | null {
  const rules = { production: false };
  // Pages of this machine are never refused in development.
  const others = hosts.filter((host) => originHost(`http://${host}`, rules) !== null);
  const named = others.map((host) => normalizeDomain(host, rules));
  return named.includes(null) ? null : [DEMO_DOMAIN, ...new Set(named as string[])];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Length of the demo's history: each figure of a month or of 30 days can be compared with an
 * earlier one.
 */
export const HISTORY_DAYS = 61;
/** Delivered attempts are kept as long. */
export const LOG_DAYS = 30;
/** Days before now on which the second publication replaced the first. */
export const SECOND_PUBLICATION_DAYS_AGO = 12;
/** The additional field that marks generated demo records. */
export const DEMO_FIELD = 'demo';

/** Page views in the busiest hour of a day, and by the hour of the day as a share of it. */
const VISITS_PER_HOUR = 16;
/** Their fraction at the beginning and at the end: the shop grows. */
const GROWTH = { from: 0.8, to: 1.15 };
const BUSY = [1, 1, 1, 1, 1, 2, 3, 4, 6, 7, 8, 8, 7, 7, 8, 8, 7, 7, 8, 10, 10, 8, 5, 2].map((n) => n / 10);
/** Most visitors have decided on an earlier page. */
const ASKED = 0.16;
const DECIDES = 0.62;

/** A receiver that rejects requests is not down: nothing is held, and each record fails. */
const FAILED = { daysAgo: 9, fromHour: 8, hours: 7 };
/** Its certificate has expired; after five failures in a row, records wait until it is fixed. */
const HELD = { daysAgo: 3, fromHour: 9, hours: 9 };
const FAILURES_BEFORE_HOLD = 5;

export interface DemoHistory {
  records: PastRecord[];
  deliveries: PastDelivery[];
  visits: VisitRow[];
}

interface HistoryFrame {
  now: Date;
  /** Published first and second; null: unknown configuration. */
  hashes: readonly [string | null, string | null];
  /** The receiver's host, with its port, in the format of the forwarder. */
  receiverHost: string;
}

/** Two months of a small shop in two languages: identical each time, except for dates and ids. */
export function demoHistory({ now, hashes, receiverHost }: HistoryFrame): DemoHistory {
  const draw = drawing(20_261_122);
  const tally = new VisitTally();
  const records: PastRecord[] = [];
  const firstHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - HISTORY_DAYS * DAY_MS;
  for (let hourMs = firstHour; hourMs + HOUR_MS <= now.getTime(); hourMs += HOUR_MS) {
    const share = BUSY[new Date(hourMs).getUTCHours()] ?? 0;
    const grown = GROWTH.from + ((GROWTH.to - GROWTH.from) * (hourMs - firstHour)) / (HISTORY_DAYS * DAY_MS);
    const visits = Math.round(VISITS_PER_HOUR * grown * share * (0.6 + 0.8 * draw.share()));
    const instants = Array.from({ length: visits }, () => hourMs + Math.floor(draw.share() * HOUR_MS));
    for (const instantMs of instants.toSorted((a, b) => a - b)) {
      const at = new Date(instantMs);
      const banner: BannerOutcome = !draw.chance(ASKED)
        ? 'none'
        : draw.chance(DECIDES)
          ? 'chosen'
          : 'ignored';
      const visit = { ...visitor(draw), banner };
      tally.count('', visit, at);
      const isSecond = now.getTime() - instantMs < SECOND_PUBLICATION_DAYS_AGO * DAY_MS;
      if (banner === 'chosen') records.push(toRecord(visit, { at, draw, hash: hashes[isSecond ? 1 : 0] }));
    }
  }
  return {
    records,
    deliveries: toDeliveries(
      records.filter(({ receivedAt }) => now.getTime() - receivedAt.getTime() < LOG_DAYS * DAY_MS),
      { now, draw, host: receiverHost },
    ),
    visits: tally.take(now),
  };
}

function visitor(draw: Draw): Omit<Visit, 'banner'> {
  const region = draw.of({ DE: 44, AT: 12, CH: 9, GB: 17, US: 12, FR: 6 });
  const speaksGerman = ['DE', 'AT', 'CH'].includes(region);
  return {
    region,
    hostname: draw.of({ [`www.${DEMO_DOMAIN}`]: 82, [`shop.${DEMO_DOMAIN}`]: 18 }),
    language: speaksGerman ? draw.of({ de: 92, en: 8 }) : region === 'FR' ? 'fr' : 'en',
    device: draw.of({ phone: 58, desktop: 36, tablet: 6 }),
  };
}

function toRecord(
  visit: Visit,
  { at, draw, hash }: { at: Date; draw: Draw; hash: string | null },
): PastRecord {
  const action = draw.of({ accept_all: 56, reject_all: 24, custom: 16, withdraw: 4 });
  const some = action === 'custom';
  const analytics = action === 'accept_all' || (some && draw.chance(0.8));
  const marketing = action === 'accept_all' || (some && draw.chance(0.15));
  const preferences = draw.chance(0.6);
  return {
    id: idAt(new Date(at.getTime() - 40)),
    receivedAt: at,
    analytics,
    marketing,
    // Our banner records a choice of all categories as `accept_all`, and one of none as `reject_all`.
    preferences: action === 'accept_all' || (some && (!analytics || (!marketing && preferences))),
    action,
    hostname: visit.hostname,
    configHash: hash,
    language: visit.language === 'de' ? 'de' : 'en',
    surface: action === 'withdraw' ? 'link' : some ? 'preferences' : 'banner',
    services: null,
    extra: { [DEMO_FIELD]: true, region: visit.region, policyVersion: '1' },
  };
}

function toDeliveries(
  records: PastRecord[],
  { now, draw, host }: { now: Date; draw: Draw; host: string },
): PastDelivery[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const span = ({ daysAgo, fromHour, hours }: typeof FAILED): [number, number] => {
    const from = today - daysAgo * DAY_MS + fromHour * HOUR_MS;
    return [from, from + hours * HOUR_MS];
  };
  const [failedFrom, failedTo] = span(FAILED);
  const [heldFrom, heldTo] = span(HELD);
  let failures = 0;
  let waiting = 0;
  const deliveries = records.map(({ id, receivedAt }): PastDelivery => {
    const atMs = receivedAt.getTime();
    const attempted = (attemptedMs: number, fields: Partial<DeliveryOutcome>): PastDelivery => ({
      consentId: id,
      outcome: {
        id: idAt(new Date(attemptedMs)),
        category: null,
        httpStatus: null,
        reason: null,
        durationMs: 12 + Math.floor(draw.share() * 90),
        host,
        outcome: 'delivered',
        attemptedAt: new Date(attemptedMs),
        ...fields,
      },
    });
    const soon = atMs + 5 + Math.floor(draw.share() * 20);
    if (atMs >= failedFrom && atMs < failedTo)
      return attempted(soon, judgeResponse({ kind: 'status', httpStatus: 400 }));
    if (atMs >= heldFrom && atMs < heldTo) {
      failures += 1;
      const expired = {
        kind: 'error',
        category: 'tls',
        reason: "The endpoint's certificate has expired.",
      } as const;
      if (failures <= FAILURES_BEFORE_HOLD) return attempted(soon, judgeResponse(expired));
      waiting += 1;
      return attempted(heldTo + waiting * 30, { httpStatus: 204 });
    }
    return attempted(soon, { httpStatus: 204 });
  });
  return deliveries.toSorted((a, b) => a.outcome.attemptedAt.getTime() - b.outcome.attemptedAt.getTime());
}

interface Draw {
  /** From 0 to 1. */
  share(): number;
  chance(share: number): boolean;
  /** One of the names, with a probability proportional to its weight. */
  of<Name extends string>(weights: Record<Name, number>): Name;
}

/** Reproducible pseudorandom numbers (a linear congruential generator). */
function drawing(seed: number): Draw {
  let state = seed;
  const share = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    share,
    chance: (probability) => share() < probability,
    of: <Name extends string>(weights: Record<Name, number>): Name => {
      const entries = Object.entries<number>(weights) as [Name, number][];
      const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
      let left = share() * total;
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0] ?? ['' as Name])[0];
    },
  };
}

import type { Random } from '../random.js';

/** The parts of the installation, each in a network namespace. Their order decides their addresses. */
export const PARTS = [
  'proxy',
  'api-0',
  'api-1',
  'worker-0',
  'worker-1',
  'redis',
  'bouncer',
  'db-0',
  'db-1',
  'db-2',
  'etcd',
  's3',
  'receiver',
  'dns',
] as const;
export type PartName = (typeof PARTS)[number];

/** A part; a database server by its role when the fault begins. */
export type Target = Exclude<PartName, 'db-0' | 'db-1' | 'db-2'> | 'primary' | 'sync' | 'async';
export type Link = readonly [Target, Target];

const SERVICES = ['api-0', 'api-1', 'worker-0', 'worker-1'] as const;
const WORKERS = ['worker-0', 'worker-1'] as const;

/** Connections with traffic. A partition of two parts that never communicate is no fault. */
export const LINKS: readonly Link[] = [
  ['proxy', 'api-0'],
  ['proxy', 'api-1'],
  ...SERVICES.map((service): Link => [service, 'bouncer']),
  ...SERVICES.map((service): Link => [service, 'redis']),
  ...SERVICES.map((service): Link => [service, 'dns']),
  ...WORKERS.map((worker): Link => [worker, 's3']),
  ...WORKERS.map((worker): Link => [worker, 'receiver']),
  ['bouncer', 'primary'],
  ['primary', 'sync'],
  ['primary', 'async'],
  ['primary', 'etcd'],
  ['sync', 'etcd'],
  ['async', 'etcd'],
];

/** Parts that a fault may meet as a whole. */
export const TARGETS: readonly Target[] = [
  ...SERVICES,
  'proxy',
  'redis',
  'bouncer',
  'primary',
  'sync',
  'async',
  'etcd',
  's3',
  'receiver',
  'dns',
];

/** Parts between the APIs and the two disks of a record. */
const STORING: readonly Target[] = ['bouncer', 'primary', 'sync'];

/**
 * Whether records cannot be stored during the fault, so that the service may return 503. An API, a worker, etcd and the
 * asynchronous standby are not needed for that.
 */
export function touchesStorage(met: readonly Target[]): boolean {
  return met.length > 0 && met.every((part) => STORING.includes(part));
}

export function drawLink(random: Random): Link {
  const [one, other] = LINKS[random.between({ from: 0, to: LINKS.length - 1 })] ??
    LINKS[0] ?? ['proxy', 'api-0'];
  return random.between({ from: 0, to: 1 }) === 0 ? [one, other] : [other, one];
}

export function drawTarget(random: Random): Target {
  return TARGETS[random.between({ from: 0, to: TARGETS.length - 1 })] ?? 'proxy';
}

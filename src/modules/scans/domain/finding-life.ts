/** `new`: in the last scan for the first time. `open`: still there. `accepted`: by the owner, with a reason. */
export const FINDING_STATUSES = ['new', 'open', 'fixed', 'accepted'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** Scans in a row without a finding after which it counts as fixed. */
const MISSES_UNTIL_FIXED = 2;

/** A finding's state over several scans. Ids of scans are in the order of their requests. */
export interface FindingLife {
  status: FindingStatus;
  /** Scans in a row that tested its state and page, and did not see it. */
  misses: number;
  firstScanId: string;
  /** The last scan that saw it. */
  lastScanId: string;
  /** The last scan that was counted. */
  countedScanId: string;
}

/** A scan's result for a finding. `untested`: it tested neither its state nor its pages. */
export type Observation = 'seen' | 'missed' | 'untested';

/**
 * The life after a scan, which may be counted again, for example after a decision; null: a finding that is unknown and
 * was not seen. A scan that is older than the last one counted changes nothing.
 */
export function countScan(
  life: FindingLife | null,
  observation: Observation,
  scanId: string,
): FindingLife | null {
  if (life === null) return observation === 'seen' ? begun(scanId) : null;
  if (scanId < life.countedScanId) return life;
  return scanId === life.countedScanId
    ? countAgain(life, observation)
    : countNext({ ...life, countedScanId: scanId }, observation);
}

function countNext(life: FindingLife, observation: Observation): FindingLife {
  switch (observation) {
    case 'seen':
      if (life.status === 'fixed') return begun(life.countedScanId);
      return {
        ...life,
        misses: 0,
        lastScanId: life.countedScanId,
        status: life.status === 'new' ? 'open' : life.status,
      };
    case 'missed':
      return missed(life, life.misses + 1);
    case 'untested':
      return life;
  }
}

/** The same scan with other decisions: a finding that no longer applies is resolved at once. */
function countAgain(life: FindingLife, observation: Observation): FindingLife {
  const wasSeen = life.lastScanId === life.countedScanId;
  if (observation === 'seen')
    return wasSeen && life.status !== 'fixed'
      ? life
      : {
          ...life,
          misses: 0,
          lastScanId: life.countedScanId,
          status:
            life.status === 'accepted'
              ? 'accepted'
              : life.firstScanId === life.countedScanId
                ? 'new'
                : 'open',
        };
  return wasSeen && life.misses === 0 ? missed(life, MISSES_UNTIL_FIXED) : life;
}

function missed(life: FindingLife, misses: number): FindingLife {
  const isFixed = misses >= MISSES_UNTIL_FIXED && life.status !== 'accepted';
  return { ...life, misses, status: isFixed ? 'fixed' : life.status };
}

function begun(scanId: string): FindingLife {
  return { status: 'new', misses: 0, firstScanId: scanId, lastScanId: scanId, countedScanId: scanId };
}

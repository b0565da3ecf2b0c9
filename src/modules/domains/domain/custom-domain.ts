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

import type { AuditEventResponse } from '../../client/types.gen';
import { englishMessages } from '../../i18n/i18n';

type ActionMessages = typeof englishMessages.audit.actions;
export type AuditAction = {
  [Thing in keyof ActionMessages]: `${Thing}.${keyof ActionMessages[Thing] & string}`;
}[keyof ActionMessages];

/** Actions that the audit log can be filtered by: every action has a message. */
export const AUDIT_ACTIONS = Object.entries(englishMessages.audit.actions).flatMap(([thing, verbs]) =>
  Object.keys(verbs).map((verb) => `${thing}.${verb}`),
) as AuditAction[] satisfies AuditEventResponse['action'][];

/** Who can have made a change. */
type ActorKind = AuditEventResponse['actor']['kind'];
export const ACTOR_KINDS = [
  'user',
  'api_key',
  'operator',
  'stripe',
  'system',
  'visitor',
] as const satisfies ActorKind[];

/** The search parameters of the audit log. */
export interface AuditFilters {
  /** First and last day, as `2026-11-21`. */
  from?: string;
  to?: string;
  action?: AuditEventResponse['action'];
  actorKind?: ActorKind;
  /** Id of a member or an API key. */
  actorId?: string;
  /** The change that is open in the drawer. */
  open?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Parses the filters of an address; ignores invalid ones. */
export function auditFilters(search: Record<string, unknown>): AuditFilters {
  const filters: AuditFilters = {};
  for (const name of ['from', 'to'] as const) {
    const value = search[name];
    if (typeof value === 'string' && DAY.test(value)) filters[name] = value;
  }
  for (const name of ['actorId', 'open'] as const) {
    const value = search[name];
    if (typeof value === 'string' && value.trim() !== '') filters[name] = value.trim();
  }
  const action = AUDIT_ACTIONS.find((each) => each === search['action']);
  if (action) filters.action = action;
  const actorKind = ACTOR_KINDS.find((kind) => kind === search['actorKind']);
  if (actorKind) filters.actorKind = actorKind;
  return filters;
}

/** How many filters are set; the two days of a period are one. */
export function countFilters({ from, to, action, actorKind, actorId }: AuditFilters): number {
  return [from ?? to, action, actorId ?? actorKind].filter((value) => value !== undefined).length;
}

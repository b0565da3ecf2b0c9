import type { AuthorKind } from './author.js';

/**
 * All audited actions, as `<thing>.<verb>`. Stable once released: people filter by them, and the
 * rows are kept for two years. Each route that changes something writes one of these
 * (test/audit/audited-routes).
 */
export const AUDIT_ACTIONS = [
  'project.create',
  'project.update',
  'project.delete',
  'project.move',
  'organization.create',
  'organization.update',
  'organization.delete',
  'organization_member.change_role',
  'organization_member.remove',
  'organization_member.leave',
  'organization_invitation.create',
  'organization_invitation.resend',
  'organization_invitation.withdraw',
  'organization_invitation.accept',
  'organization_invitation.decline',
  'member.add',
  'member.change_role',
  'member.remove',
  'member.leave',
  'invitation.create',
  'invitation.resend',
  'invitation.withdraw',
  'invitation.accept',
  'invitation.decline',
  'ownership.transfer',
  'sign_in_policy.save',
  'account.drop_second_factor',
  'account.create',
  'account.delete',
  'account.confirm',
  'account.reset_password',
  'api_key.create',
  'api_key.rename',
  'api_key.rotate',
  'api_key.revoke',
  'api_key.revoke_former',
  'tier.simulate',
  'tier.grant',
  'tier.revoke',
  'subscription.change',
  'billing.checkout',
  'billing.portal',
  'billing.replay',
  'forwarding.save',
  'forwarding.resume',
  'forwarding.held',
  'forwarding.released',
  'signing_secret.create',
  'signing_secret.remove',
  'signing_secret.forget_former',
  'delivery.resend',
  'event_endpoint.create',
  'event_endpoint.update',
  'event_endpoint.delete',
  'event_endpoint.rotate_secret',
  'event_endpoint.forget_former_secret',
  'event_endpoint.resume',
  'event_endpoint.disable',
  'event_delivery.resend',
  'event_delivery.skip',
  'event_delivery.recover',
  'consent.erase',
  'visitor.erase',
  'privacy.save',
  'import.create',
  'import.start',
  'import.cancel',
  'configuration.save',
  'configuration.roll_back',
  'configuration.publish',
  'configuration.save_draft',
  'configuration.discard_draft',
  'proxy_secret.create',
  'proxy_secret.remove',
  'proxy_secret.forget_former',
  'custom_domain.create',
  'custom_domain.remove',
  'custom_domain.check',
  'custom_domain.change_state',
  'custom_domain.release',
  'scan.request',
  'scan.cancel',
  'finding.accept',
  'finding.reopen',
  'cookie.classify',
  'scan.schedule',
  'scan.alert',
  'outbox.retry',
  'secrets.re_encrypt',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The state before or after a change, as in API responses, without secrets. */
export type AuditedState = Record<string, unknown>;

/** A recorded change. */
export interface AuditEvent {
  id: string;
  projectId: string;
  actorKind: AuthorKind;
  /** A user's or key's id, or an operator's own name; null: unknown, or not a person. */
  actorId: string | null;
  /** Network of the actor's address; null: none. */
  network: string | null;
  action: AuditAction;
  /** The changed object: an id, or another short name; null: the project as a whole. */
  target: string | null;
  before: AuditedState | null;
  after: AuditedState | null;
  at: Date;
}

/** Characters of JSON of one state; of a larger one, only its size is stored. */
export const STATE_CHARACTERS_MAX = 16 * 1024;

/** The members in which two states differ, on both sides; null: no difference. */
export function diffStates(
  stored: object,
  changed: object,
): { before: AuditedState; after: AuditedState } | null {
  const [before, after] = [{ ...stored } as AuditedState, { ...changed } as AuditedState];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (differing.length === 0) return null;
  return { before: pick(before, differing), after: pick(after, differing) };
}

/** A state as stored: bounded, so that a large configuration does not fill the log. */
export function boundedState(state: AuditedState | undefined): AuditedState | null {
  if (state === undefined) return null;
  const { length } = JSON.stringify(state);
  return length <= STATE_CHARACTERS_MAX ? state : { tooLarge: true, characters: length };
}

function pick(state: AuditedState, names: string[]): AuditedState {
  return Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
}

/** The kinds of events in a person's security log. Stable once released. */
export const SECURITY_ACTIONS = [
  'sign_up',
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'sessions_ended',
  'password_changed',
  'password_reset_requested',
  'password_reset',
  'email_change_requested',
  'email_changed',
  'email_confirmed',
  'name_changed',
  'second_factor_enabled',
  'second_factor_disabled',
  'second_factor_failed',
  'recovery_code_used',
  'recovery_codes_replaced',
  'device_approved',
  'device_denied',
  'personal_token_created',
  'personal_token_revoked',
] as const;
export type SecurityAction = (typeof SECURITY_ACTIONS)[number];

/** One line of the log. */
export interface SecurityEvent {
  id: string;
  action: SecurityAction;
  /** Network of the client's address; null: none. */
  network: string | null;
  at: Date;
}

/**
 * Retention of a project's audit log. The owner's function that drops partitions enforces it as a
 * minimum.
 */
export const AUDIT_MONTHS_KEPT = 24;
/** Retention of a user's own log; it is deleted earlier with the account. */
export const SECURITY_LOG_MONTHS_KEPT = 12;

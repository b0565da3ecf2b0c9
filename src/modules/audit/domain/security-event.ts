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

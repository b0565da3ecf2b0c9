/** The result of a sync. */
export type SyncResult =
  /** The row is written. `changed`: it differs from before; `ended`: it has ended for good. */
  | { kind: 'written'; projectId: string; changed: boolean; ended: boolean }
  /** A later sync has already written, or the subscription has ended for good. */
  | { kind: 'superseded'; projectId: string }
  /** The project is not known yet; a later event may name it. */
  | { kind: 'unmapped' }
  /** Needs an operator. Nothing was granted. */
  | { kind: 'refused'; code: RefusalCode; sentence: string; projectId: string | null };

export type RefusalCode =
  'price_unknown' | 'customer_mismatch' | 'project_unknown' | 'subscription_not_found';

export function projectUnknown(projectId: string | null): SyncResult {
  return refused(
    'project_unknown',
    'The subscription names a project that does not exist; a customer may be paying for nothing.',
    projectId,
  );
}

export function refused(code: RefusalCode, sentence: string, projectId: string | null): SyncResult {
  return { kind: 'refused', code, sentence, projectId };
}

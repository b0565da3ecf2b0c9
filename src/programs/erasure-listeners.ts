import type { ErasureListener } from '../modules/consent/consent.hooks.js';

/**
 * Deletes other modules' data about erased records. The service and the command `erasures reapply`
 * both use this list. Each module is loaded on demand: the command line starts without them.
 */
export const erasureListeners: readonly ErasureListener[] = [
  async (...erasure) =>
    (await import('../modules/forwarding/application/delivery-erasure.js')).eraseDeliveries(...erasure),
  async (tx, erased) =>
    (await import('../modules/evidence/infrastructure/leaf.rows.js')).deleteLeaves(tx, erased),
];

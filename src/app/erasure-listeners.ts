import type { ErasureListener } from '../consent/erasure-listener.js';

/**
 * What deletes other modules' data about erased records. The service and the command `erasures reapply` both use this
 * list. Each module is loaded when it is needed: the command line starts without them.
 */
export const erasureListeners: readonly ErasureListener[] = [
  async (...erasure) =>
    (await import('../forwarding/application/delivery-erasure.js')).eraseDeliveries(...erasure),
  async (tx, erased) => (await import('../evidence/infrastructure/leaf.rows.js')).deleteLeaves(tx, erased),
];

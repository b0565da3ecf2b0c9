import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The cleanup of one benchmark: processes, the database, its folder. Steps are added as soon as
 * there is something to undo, and run in reverse order, however the benchmark ended.
 */
export class Scope {
  /** @type {(() => unknown)[]} */
  #undo = [];
  /** @type {Promise<void> | null} */
  #closing = null;

  constructor() {
    // The embedded PostgreSQL runs as another user where this one is root, so others may enter.
    this.folder = mkdtempSync(join(tmpdir(), 'consent-bench-'));
    chmodSync(this.folder, 0o755);
    this.defer(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** @param {() => unknown} undo */
  defer(undo) {
    this.#undo.push(undo);
  }

  close() {
    this.#closing ??= (async () => {
      for (const undo of this.#undo.reverse()) {
        try {
          await undo();
        } catch (error) {
          console.error(error);
        }
      }
    })();
    return this.#closing;
  }
}

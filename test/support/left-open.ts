/** Key under which the runner finds a file's open resources (`native-jest-circus.mjs`). */
const LEFT_OPEN = Symbol.for('consent-service.left-open');
type Closer = () => Promise<void>;

/**
 * Registers what a test has opened, and returns how to close it. A test that fails before it closes its service or its
 * database leaves connections behind; the runner closes them at the end of the file, and the run continues.
 */
export function closedWithFile(close: Closer): Closer {
  const registry = globalThis as { [LEFT_OPEN]?: Set<Closer> };
  const open = (registry[LEFT_OPEN] ??= new Set());
  const closer = async (): Promise<void> => {
    if (open.delete(closer)) await close();
  };
  open.add(closer);
  return closer;
}

/** Browsers draw no frames of a page in the background, and none of a frame that is not on the screen. */
const WAIT_MAX_MS = 100;

/**
 * Resolves once the browser has painted all changes so far, or when the visitor leaves the page.
 */
export const afterPaint = (): Promise<void> =>
  new Promise((painted) => {
    const resolve = (): void => painted();
    addEventListener('pagehide', resolve, { once: true });
    setTimeout(resolve, WAIT_MAX_MS);
    requestAnimationFrame(() => setTimeout(resolve));
  });

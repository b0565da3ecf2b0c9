export function pause(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, Math.max(0, ms)));
}

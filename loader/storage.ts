/** The substitute for localStorage where the browser blocks it: lives as long as the page. */
const memory: Record<string, string> = {};

/** null: nothing valid is stored. */
export const readJson = <T>(key: string): T | null => {
  let text: string | null | undefined;
  try {
    text = localStorage.getItem(key);
  } catch {
    // Blocked.
  }
  try {
    return JSON.parse((text ?? memory[key]) as string) as T;
  } catch {
    return null;
  }
};

/** An empty list in the place of anything else. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const writeJson = (key: string, value: unknown): void => {
  memory[key] = JSON.stringify(value);
  try {
    localStorage.setItem(key, memory[key]);
    delete memory[key];
  } catch {
    // Blocked or full: it stays in memory.
  }
};

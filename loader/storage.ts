/** The substitute for localStorage where the browser blocks it: lives as long as the page. */
const memory: Record<string, string> = {};

/** null where nothing readable is stored. */
export const readJson = <T>(key: string): T | null => {
  let text: string | null | undefined = memory[key];
  try {
    text = localStorage.getItem(key) ?? text;
  } catch {
    // Blocked.
  }
  try {
    return JSON.parse(text as string) as T;
  } catch {
    return null;
  }
};

export const writeJson = (key: string, value: unknown): void => {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(key, text);
    delete memory[key];
  } catch {
    memory[key] = text;
  }
};

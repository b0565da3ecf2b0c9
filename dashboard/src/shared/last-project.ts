const KEY = 'last-project';

/** The project that the person looked at last in this browser. */
export const lastProject = {
  read: (): string | null => localStorage.getItem(KEY),
  write: (projectId: string): void => localStorage.setItem(KEY, projectId),
};

const KEY = 'recent-projects';
const KEPT_MAX = 5;

/** The projects that the person looked at last in this browser, the latest first. */
export const recentProjects = {
  read: (): string[] => (localStorage.getItem(KEY) ?? '').split(' ').filter(Boolean),
  add: (projectId: string): void => {
    const others = recentProjects.read().filter((id) => id !== projectId);
    localStorage.setItem(KEY, [projectId, ...others].slice(0, KEPT_MAX).join(' '));
  },
};

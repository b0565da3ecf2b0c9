/** Attempts of one project at once, to begin with: nothing is known of its receiver yet. */
export const SHARE_START = 4;
/** No project gets more than this part of the slots (design §6.5). */
export const SHARE_OF_ONE_PROJECT = 1 / 4;
/** All slow projects together get no more than this part, so that the others always find a slot. */
export const SHARE_OF_SLOW_PROJECTS = 1 / 2;
/** An attempt that takes longer makes its project a slow one. */
export const SLOW_MS = 2_000;
/**
 * A project without work for this long begins with few slots again: its connections may be closed by now, and
 * a hundred handshakes at once are more than a receiver that was quick may bear.
 */
export const SHARE_RESTART_MS = 3_000;
/** A project without work is forgotten after this time. */
const FORGET_MS = 60_000;

interface ProjectShare {
  inFlight: number;
  limit: number;
  slow: boolean;
  /** When the attempts under way began, oldest first. */
  startedAt: number[];
  idleSince: number;
}

/**
 * Divides a worker's slots between projects. Each project begins with a few slots, gains one with each quick
 * answer up to a quarter of all, and loses half with each slow or failed one; those that are slow share half
 * of the slots between them. So a hanging receiver holds few slots however many records wait for it, and
 * many hanging ones together never hold the healthy ones up. Times are of a monotonic clock, in milliseconds.
 */
export class FairShare {
  private readonly projects = new Map<string, ProjectShare>();
  private inFlight = 0;

  constructor(private readonly slots: number) {}

  get free(): number {
    return this.slots - this.inFlight;
  }

  /** What each known project may still get; a project that is not named may get `SHARE_START`. */
  freeOf(nowMs: number): Map<string, number> {
    this.forgetIdle(nowMs);
    const slow = [...this.projects.values()].filter((project) => isSlow(project, nowMs));
    const slowInFlight = slow.reduce((sum, project) => sum + project.inFlight, 0);
    const slowFree = Math.max(0, Math.floor(this.slots * SHARE_OF_SLOW_PROJECTS) - slowInFlight);
    // Shared out evenly, at least one: with none, a receiver that recovers would never be found out.
    const slowEach = slowFree === 0 ? 0 : Math.max(1, Math.floor(slowFree / Math.max(1, slow.length)));
    return new Map(
      [...this.projects].map(([projectId, project]) => {
        const free = Math.max(0, project.limit - project.inFlight);
        return [projectId, isSlow(project, nowMs) ? Math.min(free, slowEach) : free];
      }),
    );
  }

  started(projectId: string, nowMs: number): void {
    const project = this.projects.get(projectId) ?? {
      inFlight: 0,
      limit: this.startLimit,
      slow: false,
      startedAt: [],
      idleSince: nowMs,
    };
    this.projects.set(projectId, project);
    project.inFlight += 1;
    project.startedAt.push(nowMs);
    this.inFlight += 1;
  }

  /** `healthy` false: the attempt failed in a way that a busy or dead receiver fails. */
  ended(
    projectId: string,
    { startedMs, nowMs, healthy }: { startedMs: number; nowMs: number; healthy: boolean },
  ): void {
    const project = this.projects.get(projectId);
    if (!project) throw new Error('an attempt ended that never started');
    project.startedAt.splice(project.startedAt.indexOf(startedMs), 1);
    project.inFlight -= 1;
    this.inFlight -= 1;
    project.slow = !healthy || nowMs - startedMs > SLOW_MS;
    project.limit = project.slow
      ? Math.max(1, Math.floor(project.limit / 2))
      : Math.min(this.cap, project.limit + 1);
    project.idleSince = nowMs;
  }

  /** What a project gets of which nothing is known. */
  get startLimit(): number {
    return Math.min(SHARE_START, this.cap);
  }

  private get cap(): number {
    return Math.max(1, Math.floor(this.slots * SHARE_OF_ONE_PROJECT));
  }

  private forgetIdle(nowMs: number): void {
    for (const [projectId, project] of this.projects) {
      if (project.inFlight > 0) continue;
      const idleMs = nowMs - project.idleSince;
      if (idleMs > FORGET_MS) this.projects.delete(projectId);
      else if (idleMs > SHARE_RESTART_MS) project.limit = Math.min(project.limit, this.startLimit);
    }
  }
}

/** Slow by its last answer, or by an attempt that is taking long right now. */
function isSlow(project: ProjectShare, nowMs: number): boolean {
  const oldest = project.startedAt[0];
  return project.slow || (oldest !== undefined && nowMs - oldest > SLOW_MS);
}

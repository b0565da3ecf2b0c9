/** Attempts of one project at once, to begin with: nothing is known of its receiver yet. */
export const SHARE_START = 4;
/** No project gets more than this part of the slots (design §6.5). */
export const SHARE_OF_ONE_PROJECT = 1 / 4;
/** All slow projects together get no more than this part, so that the others always find a slot. */
export const SHARE_OF_SLOW_PROJECTS = 1 / 2;
/** An attempt that takes longer makes its project a slow one. */
export const SLOW_MS = 2_000;
/**
 * Where answers come quicker than this, as many messages again are claimed ahead: a claim takes a good part of
 * such a time, and the receiver would wait for it. Ahead of a slower receiver they would only grow old.
 */
export const AHEAD_BELOW_MS = 250;
/**
 * A project without work for this long begins with few slots again: its connections may be closed by now, and
 * a hundred handshakes at once are more than a receiver that was quick may bear.
 */
export const SHARE_RESTART_MS = 3_000;
/** A project without work is forgotten after this time. */
const FORGET_MS = 60_000;

interface ProjectShare {
  /** Claimed messages, begun or not. */
  claimed: number;
  inFlight: number;
  limit: number;
  /** How long the last answer took. */
  lastMs: number;
  slow: boolean;
  /** When the attempts under way began, oldest first. */
  startedAt: number[];
  idleSince: number;
  /** Until then nothing of it is claimed. */
  pausedUntilMs: number;
}

/**
 * Divides a worker's slots, each of which takes one attempt, between projects. Each project begins with a few
 * slots, gains one with each quick answer up to a quarter of all, and loses half with each slow or failed one;
 * those that are slow share half of the slots between them. So a hanging receiver holds few slots however many
 * records wait for it, and many hanging ones together never hold the healthy ones up. Times are of a monotonic
 * clock, in milliseconds.
 */
export class FairShare {
  private readonly projects = new Map<string, ProjectShare>();
  private inFlight = 0;

  constructor(private readonly slots: number) {}

  get free(): number {
    return this.slots - this.inFlight;
  }

  /** What may still be claimed of each known project; of a project that is not named, `SHARE_START`. */
  freeOf(nowMs: number): Map<string, number> {
    this.forgetIdle(nowMs);
    const slow = [...this.projects.values()].filter((project) => isSlow(project, nowMs));
    const slowClaimed = slow.reduce((sum, project) => sum + project.claimed, 0);
    const slowFree = Math.max(0, Math.floor(this.slots * SHARE_OF_SLOW_PROJECTS) - slowClaimed);
    // Shared out evenly, at least one: with none, a receiver that recovers would never be found out.
    const slowEach = slowFree === 0 ? 0 : Math.max(1, Math.floor(slowFree / Math.max(1, slow.length)));
    return new Map(
      [...this.projects].map(([projectId, project]) => {
        if (nowMs < project.pausedUntilMs) return [projectId, 0];
        const slow = isSlow(project, nowMs);
        const ahead = !slow && project.lastMs < AHEAD_BELOW_MS ? project.limit : 0;
        const free = Math.max(0, project.limit + ahead - project.claimed);
        return [projectId, slow ? Math.min(free, slowEach) : free];
      }),
    );
  }

  claimed(projectId: string, nowMs: number): void {
    const project = this.projects.get(projectId) ?? {
      claimed: 0,
      inFlight: 0,
      limit: this.startLimit,
      lastMs: Number.POSITIVE_INFINITY,
      slow: false,
      startedAt: [],
      idleSince: nowMs,
      pausedUntilMs: 0,
    };
    this.projects.set(projectId, project);
    project.claimed += 1;
  }

  /** A claimed message was given back without an attempt. */
  givenBack(projectId: string, nowMs: number): void {
    const project = this.known(projectId);
    project.claimed -= 1;
    project.idleSince = nowMs;
  }

  /** Whether there is a slot for a claimed message of the project. */
  mayStart(projectId: string): boolean {
    const project = this.known(projectId);
    return this.free > 0 && project.inFlight < project.limit;
  }

  started(projectId: string, nowMs: number): void {
    const project = this.known(projectId);
    project.inFlight += 1;
    project.startedAt.push(nowMs);
    this.inFlight += 1;
  }

  /**
   * What was begun turned out to be for later: nothing of the project is claimed meanwhile, and then one at a time.
   * The messages stay where they are in the outbox: moved to a later time, each claim would read past all of them.
   */
  putOff(
    projectId: string,
    { startedMs, nowMs, afterMs }: { startedMs: number; nowMs: number; afterMs: number },
  ): void {
    const project = this.known(projectId);
    this.leaveSlot(project, startedMs);
    project.idleSince = nowMs;
    // Those that were begun together stand behind one another; the first of them ends the pause.
    if (nowMs >= project.pausedUntilMs) project.pausedUntilMs = nowMs + afterMs;
    project.limit = 1;
    project.lastMs = Number.POSITIVE_INFINITY;
  }

  /** `healthy` false: the attempt failed in a way that a busy or dead receiver fails. */
  ended(
    projectId: string,
    { startedMs, nowMs, healthy }: { startedMs: number; nowMs: number; healthy: boolean },
  ): void {
    const project = this.known(projectId);
    this.leaveSlot(project, startedMs);
    project.lastMs = nowMs - startedMs;
    project.slow = !healthy || project.lastMs > SLOW_MS;
    project.limit = project.slow
      ? Math.max(1, Math.floor(project.limit / 2))
      : Math.min(this.cap, project.limit + 1);
    project.idleSince = nowMs;
  }

  /** What a project gets of which nothing is known. */
  get startLimit(): number {
    return Math.min(SHARE_START, this.cap);
  }

  private known(projectId: string): ProjectShare {
    const project = this.projects.get(projectId);
    if (!project) throw new Error('a message is worked on that was never claimed');
    return project;
  }

  private leaveSlot(project: ProjectShare, startedMs: number): void {
    project.startedAt.splice(project.startedAt.indexOf(startedMs), 1);
    project.claimed -= 1;
    project.inFlight -= 1;
    this.inFlight -= 1;
  }

  private get cap(): number {
    return Math.max(1, Math.floor(this.slots * SHARE_OF_ONE_PROJECT));
  }

  private forgetIdle(nowMs: number): void {
    for (const [projectId, project] of this.projects) {
      if (project.claimed > 0) continue;
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

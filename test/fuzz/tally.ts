import { type Operation, readOperations } from '../support/rules/openapi.js';
import type { RawAnswer } from '../support/fakes/raw-request.js';
import type { FuzzRequest } from './requests.js';

/** Refusals that say nothing about whether a handler was reached. */
const AT_THE_DOOR = [401, 403, 413, 415, 429, 431];

/** The requests and responses of a run. */
export class Tally {
  total = 0;
  deletedProjects = 0;
  private readonly byStatus = new Map<number, number>();
  private readonly creations = new Map<string, number>();
  private readonly passed = new Set<string>();
  private slowestMs = 0;
  private readonly startedMs = performance.now();

  tookMs(ms: number): void {
    this.slowestMs = Math.max(this.slowestMs, ms);
  }

  count({ operation, method, path }: FuzzRequest, { status }: RawAnswer): void {
    this.total += 1;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    if (method === operation.method && path === operation.path && !AT_THE_DOOR.includes(status)) {
      this.passed.add(`${method} ${path}`);
    }
    // A path that was made odd may still be the same route: `/consents/` is `/consents`.
    const route = (path.split('?')[0] ?? '').toLowerCase().replaceAll(/^\/+|\/+$/g, '');
    if (method === 'DELETE' && status === 204 && /^v1\/projects\/[^/]+$/.test(route))
      this.deletedProjects += 1;
    const name = /^v1\/(?:projects\/[^/]+\/(consents|api-keys)|visitor\/(withdrawals)|(projects))$/.exec(
      route,
    );
    const made = name?.slice(1).find((part) => part !== undefined);
    if (made === undefined || method !== 'POST') return;
    if (status === 201) this.creations.set(made, (this.creations.get(made) ?? 0) + 1);
  }

  /** How many were made by `POST` on the route with that end. */
  made(route: string): number {
    return this.creations.get(route) ?? 0;
  }

  /** Operations that no request has entered. */
  neverPassed(): Operation[] {
    return readOperations().filter((operation) => !this.hasPassed(operation));
  }

  hasPassed({ method, path }: Operation): boolean {
    return this.passed.has(`${method} ${path}`);
  }

  shareOf(status: number): number {
    return (this.byStatus.get(status) ?? 0) / this.total;
  }

  report(): string {
    const counts = [...this.byStatus].toSorted(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
    const seconds = ((performance.now() - this.startedMs) / 1000).toFixed(0);
    return `${this.total} answers in ${seconds} s, slowest ${this.slowestMs.toFixed(0)} ms; ${counts.join(', ')}`;
  }
}

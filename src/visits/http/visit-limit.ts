import { Injectable } from '@nestjs/common';
import { RateWindow } from '../../consent/domain/rate-window.js';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type VisitSettings, visitSettings } from '../visits.settings.js';

const WINDOW_MS = 60_000;
/** Number of counters of each kind; each takes about 200 bytes. */
const KEYS_MAX = 50_000;
/** Projects that one address may visit at the full rate. */
const PROJECTS_OF_A_NETWORK = 10;

/** Counts page visits in this process, by network and project, and by network over all projects. */
@Injectable()
export class VisitLimit {
  private readonly byProject: RateWindow | null;
  private readonly byNetwork: RateWindow | null;

  constructor(@InjectSettings(visitSettings) { ratePerMinute }: VisitSettings) {
    const windowOf = (countMax: number): RateWindow | null =>
      countMax === 0 ? null : new RateWindow({ countMax, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
    this.byProject = windowOf(ratePerMinute);
    this.byNetwork = windowOf(ratePerMinute * PROJECTS_OF_A_NETWORK);
  }

  /** @throws DomainError `too_many_requests` (429) with the seconds to wait. */
  count(address: string, projectId: string): void {
    const nowMs = performance.now();
    const network = clientNetwork(address);
    const waitMs =
      this.byNetwork?.add(network, nowMs) || this.byProject?.add(`${network} ${projectId}`, nowMs);
    if (waitMs) throw tooManyRequests('Too many page visits from one address.', waitMs);
  }

  /** A client that sends unknown project ids is guessing, and each guess costs a query. */
  countUnknownProject(address: string): void {
    this.byNetwork?.add(clientNetwork(address), performance.now(), PROJECTS_OF_A_NETWORK - 1);
  }
}

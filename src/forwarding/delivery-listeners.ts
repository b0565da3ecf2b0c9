import { Injectable } from '@nestjs/common';
import type { DeliveryOutcome } from './domain/outcome.js';

export type DeliveryListener = (outcome: DeliveryOutcome) => void;

/** Tells those who count deliveries, e.g. metrics, of each outcome that was written. Listeners must not throw. */
@Injectable()
export class DeliveryListeners {
  private readonly listeners: DeliveryListener[] = [];

  /** Signs a listener up; call it while modules start (`onModuleInit`). */
  onOutcome(listener: DeliveryListener): void {
    this.listeners.push(listener);
  }

  tell(outcomes: DeliveryOutcome[]): void {
    for (const outcome of outcomes) for (const listener of this.listeners) listener(outcome);
  }
}

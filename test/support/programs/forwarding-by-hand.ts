import { ConsentForwarder } from '../../../src/modules/forwarding/application/consent-forwarder.js';
import type { DeliveryOutcome } from '../../../src/modules/forwarding/domain/delivery-outcome.js';
import type { OutboxMessage } from '../../../src/platform/outbox/domain/outbox-message.js';
import { messageAbout, type StoredConsent, storeConsent } from '../people/consent.js';
import type { TestProject } from '../people/project.js';
import type { TestService } from './service.js';

/** A worker's steps for messages, without a worker: nothing is claimed. */
export interface ForwardingByHand {
  forwarder: ConsentForwarder;
  /** Prepares, attempts and settles; the outcomes are in the order of the messages. */
  forward(messages: OutboxMessage[]): Promise<DeliveryOutcome[]>;
  /** Stores a record and forwards it. */
  forwardOne(project: TestProject, fields?: Partial<StoredConsent>): Promise<DeliveryOutcome>;
  /** Settles outcomes in one transaction. */
  settle(settled: Parameters<ConsentForwarder['settle']>[1]): Promise<void>;
}

/** Drives the handler of the service under test. */
export function forwardByHand(service: TestService): ForwardingByHand {
  const forwarder = service.app.get(ConsentForwarder, { strict: false });
  const settle: ForwardingByHand['settle'] = (settled) =>
    service.database.orm.em.fork().transactional((tx) => forwarder.settle(tx, settled));
  const forward: ForwardingByHand['forward'] = async (messages) => {
    const attempts = await forwarder.prepare(messages);
    const endings = await Promise.all(attempts.map((attempt) => attempt(new AbortController().signal)));
    const outcomes = endings.map((ending) => {
      if (ending.kind !== 'settled') throw new Error('The attempt did not settle.');
      return ending.outcome;
    });
    await settle(outcomes.map((outcome, index) => ({ message: messages[index] as OutboxMessage, outcome })));
    return outcomes;
  };
  return {
    forwarder,
    settle,
    forward,
    forwardOne: async (project, fields) => {
      const consentId = await storeConsent(service, project.id, fields);
      const [outcome] = await forward([messageAbout(project.id, consentId)]);
      return outcome as DeliveryOutcome;
    },
  };
}

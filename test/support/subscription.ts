import { newId } from '../../src/shared/ids.js';
import { LicensingService } from '../../src/licensing/licensing.service.js';
import { Subscription } from '../../src/licensing/infrastructure/subscription.entity.js';
import type { TestService } from './service.js';

/**
 * Writes a subscription of a project as a billing module would, and computes the tier. `fields` override an
 * active pro subscription of Stripe. Returns its id.
 */
export async function writeSubscription(
  service: TestService,
  projectId: string,
  fields: Partial<Subscription> = {},
  now = new Date(),
): Promise<string> {
  const id = fields.id ?? newId();
  await service.database.orm.em.fork().transactional(async (tx) => {
    tx.create(Subscription, {
      projectId,
      id,
      provider: 'stripe',
      externalId: `sub_${id}`,
      tier: 'pro',
      status: 'active',
      knownStatus: fields.status ?? 'active',
      statusSince: now,
      createdAt: now,
      updatedAt: now,
      ...fields,
    });
    const licensing = service.app.get(LicensingService, { strict: false });
    await licensing.recompute(tx, projectId, { reason: 'test', at: now, subscriptionId: id });
  });
  return id;
}

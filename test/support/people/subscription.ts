import { newId } from '../../../src/platform/identity/ids.js';
import { LicensingService } from '../../../src/modules/licensing/licensing.service.js';
import { newSubscription, type Subscription } from '../../../src/modules/licensing/domain/subscription.js';
import { writeSubscription as writeRow } from '../../../src/modules/licensing/subscription.rows.js';
import type { TestService } from '../programs/service.js';

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
    await writeRow(tx, {
      ...newSubscription({ projectId, id, provider: 'stripe', externalId: `sub_${id}` }, now),
      tier: 'pro',
      status: 'active',
      knownStatus: fields.status ?? 'active',
      ...fields,
    });
    const licensing = service.app.get(LicensingService, { strict: false });
    await licensing.recompute(tx, projectId, { reason: 'test', at: now, subscriptionId: id });
  });
  return id;
}

import { ApiKeySchema } from '../access/api-key.entity.js';
import { SubscriptionSchema } from '../licensing/subscription.entity.js';
import { ProjectSchema } from '../projects/project.entity.js';

/** Every entity that the ORM maps. Consent records, outbox and deliveries are written by SQL alone. */
export const entities = [ProjectSchema, ApiKeySchema, SubscriptionSchema];

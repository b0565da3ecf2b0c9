import { ApiKeySchema } from '../access/api-key.entity.js';
import { ProjectMemberSchema } from '../access/project-member.entity.js';
import { SubscriptionSchema } from '../licensing/subscription.entity.js';
import { ProjectSchema } from '../projects/project.entity.js';

/** Every entity that the ORM maps. Consent records, outbox and deliveries are written by SQL alone. */
export const entities = [ProjectSchema, ApiKeySchema, ProjectMemberSchema, SubscriptionSchema];

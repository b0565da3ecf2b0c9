import { entityTag } from '../../../platform/http/entity-tag.js';
import type { TaggedSettings } from '../application/forwarding-settings.service.js';

/** The entity tag of the settings; failures and deliveries do not change it. */
export function settingsTag(settings: TaggedSettings): string {
  const {
    enabled,
    endpointUrl,
    allowCustomEndpoint,
    forwardErasures,
    retryFailures,
    keepResponseBodies,
    authMode,
    tokenUpdatedAt,
  } = settings;
  const tokenMs = tokenUpdatedAt?.getTime() ?? null;
  return entityTag({
    enabled,
    endpointUrl,
    allowCustomEndpoint,
    forwardErasures,
    retryFailures,
    keepResponseBodies,
    authMode,
    tokenMs,
  });
}

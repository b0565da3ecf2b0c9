import { entityTag } from '../../shared/entity-tag.js';

/** The entity tag of the forwarding settings: it changes with every value that a save can change. */
export interface TaggedSettings {
  enabled: boolean;
  endpointUrl: string | null;
  allowCustomEndpoint: boolean;
  forwardErasures: boolean;
  authMode: string;
  tokenUpdatedAt: Date | null;
}

/** The entity tag of the settings; failures and deliveries come and go without changing it. */
export function settingsTag(settings: TaggedSettings): string {
  const { enabled, endpointUrl, allowCustomEndpoint, forwardErasures, authMode, tokenUpdatedAt } = settings;
  const tokenMs = tokenUpdatedAt?.getTime() ?? null;
  return entityTag({ enabled, endpointUrl, allowCustomEndpoint, forwardErasures, authMode, tokenMs });
}

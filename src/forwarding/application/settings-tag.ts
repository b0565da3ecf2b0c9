import { entityTag } from '../../shared/entity-tag.js';

/** What a save of the forwarding settings can change, and so what tells two states of them apart. */
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

import { uuidTimeMs } from '../../shared/ids.js';

/** A choice as a cookie holds it. */
interface Chosen {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  at: Date;
  policyVersion: string | null;
}

/** The choice in a body that was stored under this id, whose time is the visitor's. */
export function chosenIn(body: unknown, id: string): Chosen {
  const given = body as Record<string, unknown>;
  const { policyVersion } = given;
  return {
    analytics: given['analytics'] === true,
    marketing: given['marketing'] === true,
    preferences: given['preferences'] === true,
    at: new Date(uuidTimeMs(id)),
    policyVersion: typeof policyVersion === 'string' ? policyVersion : null,
  };
}

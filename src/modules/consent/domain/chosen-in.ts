import { uuidTimeMs } from '../../../platform/identity/ids.js';

/** A choice as stored in a cookie. */
interface Chosen {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  at: Date;
  policyVersion: string | null;
}

/** The choice in a stored body; its time is the visitor's. */
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

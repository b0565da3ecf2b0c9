/** Records a choice: on the device, on the page, and at the service. */
import { promptFingerprint } from './choice';
import { clockAheadMs, configuration, lastGood, modes, rule } from './configuration';
import { applyChoice } from './consent-applier';
import { byCategory, CATEGORIES } from './mode';
import { storageKey } from './page';
import { sendChoice } from './queue';
import type { Category, Submission } from './site';
import { writeJson } from './storage';
import { uuidV7 } from './uuid';

/** Never rejects: the page's own scripts call it. */
export const submit = async (submission: Submission): Promise<object> => {
  try {
    // Without a prototype, on which the page's scripts may have put anything.
    const given: Submission = { __proto__: null, ...submission };
    const flags = byCategory((category) => given[category] === true);
    // A visitor who is offered two categories and accepts both has accepted everything.
    const missing = (submission.offered ?? lastGood?.categories ?? CATEGORIES).some(
      (category) => !flags[category as Category],
    );
    const id = uuidV7(Date.now() - clockAheadMs);
    const context = {
      surface: 'api',
      hostname: location.hostname || undefined,
      policyVersion: configuration?.policyVersion,
      bannerVersion: configuration?.bannerVersion,
      configHash: configuration?.configHash,
      region: configuration?.region,
      modes: configuration && modes(),
      regionPreset: rule().preset,
    };
    const action =
      given.action ??
      (!CATEGORIES.some((category) => flags[category]) ? 'reject_all' : missing ? 'custom' : 'accept_all');
    const body = JSON.stringify({ ...context, ...given, ...flags, action, id, offered: undefined });
    const choice = {
      ...flags,
      action,
      id,
      services: given.services,
      prompt: promptFingerprint(),
      at: Date.now(),
    };
    writeJson(storageKey('choice'), choice);
    applyChoice(choice);
    return sendChoice(id, body);
  } catch (error) {
    return { id: null, stored: false, status: 0, detail: String(error) };
  }
};

import { Injectable } from '@nestjs/common';
import type { Namespace, SettingsOf } from '../settings/declare-settings.js';
import { InjectSettings } from '../settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from './consent.settings.js';
import { retentionStart } from './domain/retention.js';

/** How long records are kept, for those who keep something about them. */
@Injectable()
export class RecordRetention {
  constructor(@InjectSettings(consentSettings) private readonly settings: ConsentSettings) {}

  /** Records that were made before it may be gone. */
  keptSince(now: Date): Date {
    return retentionStart(now, this.settings.retentionMonths);
  }
}

/** For a command of the operator, which starts no modules. */
export function recordRetention(
  settings: <S extends Namespace>(namespace: S) => SettingsOf<S>,
): RecordRetention {
  return new RecordRetention(settings(consentSettings));
}

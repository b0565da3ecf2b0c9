import { Injectable } from '@nestjs/common';
import type { Namespace, SettingsOf } from '../../platform/settings/declare-settings.js';
import { InjectSettings } from '../../platform/settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from './consent.settings.js';
import { retentionStart } from './domain/retention.js';

/** Retention of records, for modules that store data about them. */
@Injectable()
export class RecordRetention {
  constructor(@InjectSettings(consentSettings) private readonly settings: ConsentSettings) {}

  /** Records created before it may be deleted. */
  keptSince(now: Date): Date {
    return retentionStart(now, this.settings.retentionMonths);
  }
}

/** For an operator command, which starts no modules. */
export function recordRetention(
  settings: <S extends Namespace>(namespace: S) => SettingsOf<S>,
): RecordRetention {
  return new RecordRetention(settings(consentSettings));
}

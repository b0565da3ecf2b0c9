import { Injectable } from '@nestjs/common';
import { SettingsFrom } from '../shared/inject-settings.js';
import { type ConsentSettings, consentSettings } from './consent.settings.js';
import { retentionStart } from './domain/retention.js';

/** How long records are kept, for those who keep something about them. */
@Injectable()
export class RecordRetention {
  constructor(@SettingsFrom(consentSettings) private readonly settings: ConsentSettings) {}

  /** Records that were made before it may be gone. */
  keptSince(now: Date): Date {
    return retentionStart(now, this.settings.retentionMonths);
  }
}

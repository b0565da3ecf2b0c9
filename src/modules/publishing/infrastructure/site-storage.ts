import { Injectable } from '@nestjs/common';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ObjectStorage } from '../../../platform/storage/object-storage.js';
import { type PublishingSettings, publishingSettings } from '../publishing.settings.js';

/** Where the published objects are (setting STORAGE_URL). */
@Injectable()
export class SiteStorage extends ObjectStorage {
  constructor(
    @InjectSettings(publishingSettings) { storage }: PublishingSettings,
    @InjectSettings(outboxSettings) outbox: OutboxSettings,
  ) {
    super(storage, outbox);
  }
}

import { Injectable } from '@nestjs/common';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { ObjectStorage } from '../../shared/object-storage.js';
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

import { Injectable } from '@nestjs/common';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ObjectStorage } from '../../../platform/storage/object-storage.js';
import { logFolder } from '../domain/log.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';

const TEXT = { contentType: 'text/plain; charset=utf-8', cacheControl: 'no-store' };

/**
 * Copies of the newest signed checkpoint of each log, apart from database and storage
 * (EVIDENCE_HEADS_URL). If both are restored from older backups, only the copies show which
 * checkpoints were signed since. Without the setting there are none.
 */
@Injectable()
export class HeadCopies {
  private readonly storage: ObjectStorage | null;

  constructor(
    @InjectSettings(evidenceSettings) { heads }: Pick<EvidenceSettings, 'heads'>,
    @InjectSettings(outboxSettings) outbox: Pick<OutboxSettings, 'leaseMs'>,
  ) {
    this.storage = heads && new ObjectStorage(heads, outbox);
  }

  /** By name of the log; null if there is no copy. */
  async read(name: string): Promise<string | null> {
    return (await this.storage?.read(checkpointPath(name))) ?? null;
  }

  async put(name: string, note: string): Promise<void> {
    await this.storage?.put(checkpointPath(name), note, TEXT);
  }

  async remove(log: string): Promise<void> {
    await this.storage?.removeAll(logFolder(log));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.storage?.onApplicationShutdown();
  }
}

const checkpointPath = (name: string): string => `${logFolder(name)}/checkpoint`;

import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { LogStorage } from '../infrastructure/log-storage.js';
import {
  findNewestTimestamp,
  findTimestampCovering,
  type StoredTimestamp,
} from '../infrastructure/timestamp.rows.js';

/** A number of entries. */
const SIZE = /^[1-9]\d{0,15}$/;

/**
 * Reads the timestamps of the root log. For each size, the first timestamp that covers it never
 * changes.
 */
@Injectable()
export class Timestamps {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
  ) {}

  /** @throws DomainError `timestamp_not_found` (404) if there is none */
  async newest(): Promise<Omit<StoredTimestamp, 'epoch'>> {
    const { size, stampedAt } = (await findNewestTimestamp(this.em.fork())) ?? refuse('No timestamp yet.');
    return { size, stampedAt };
  }

  /** The first timestamp that covers a size, and the size of its checkpoint. @throws as `newest` */
  async findCovering(size: string, epoch: number): Promise<{ size: number; response: Buffer }> {
    const timestamp = await this.find(size, epoch);
    return { size: timestamp.size, response: await this.storage.readTimestamp(timestamp) };
  }

  /** The checkpoint of that timestamp. @throws as `newest` */
  async findCheckpoint(size: string, epoch: number): Promise<string> {
    return this.storage.readTimestampedCheckpoint(await this.find(size, epoch));
  }

  private async find(size: string, epoch: number): Promise<StoredTimestamp> {
    const covering = SIZE.test(size)
      ? await findTimestampCovering(this.em.fork(), { epoch, size: Number(size) })
      : null;
    return covering ?? refuse('No timestamp covers that many entries yet.');
  }
}

function refuse(sentence: string): never {
  throw new DomainError('timestamp_not_found', sentence);
}

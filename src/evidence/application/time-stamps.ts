import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../shared/domain-error.js';
import { LogStorage } from '../infrastructure/log-storage.js';
import { findNewestStamp, findStampCovering, type Stamp } from '../infrastructure/stamp-rows.js';

/** Digits of a size that is a number of entries. */
const SIZE = /^[1-9]\d{0,15}$/;

/** Reads the time-stamps of the root log. What covers a size first covers it for ever. */
@Injectable()
export class TimeStamps {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
  ) {}

  /** @throws DomainError `timestamp_not_found` (404) where there is none yet */
  async newest(): Promise<Omit<Stamp, 'epoch'>> {
    const { size, stampedAt } = (await findNewestStamp(this.em.fork())) ?? notFound('No timestamp yet.');
    return { size, stampedAt };
  }

  /** The time-stamp, as it was answered to us; `size` says of which checkpoint. @throws as `newest` */
  async covering(size: string, epoch: number): Promise<{ size: number; answer: Buffer }> {
    const stamp = await this.find(size, epoch);
    return { size: stamp.size, answer: await this.storage.readStamp(stamp) };
  }

  /** The checkpoint that it is of. @throws as `newest` */
  async stamped(size: string, epoch: number): Promise<string> {
    return this.storage.readStamped(await this.find(size, epoch));
  }

  private async find(size: string, epoch: number): Promise<Stamp> {
    const covering = SIZE.test(size)
      ? await findStampCovering(this.em.fork(), { epoch, size: Number(size) })
      : null;
    return covering ?? notFound('No timestamp covers that many entries yet.');
  }
}

function notFound(sentence: string): never {
  throw new DomainError('timestamp_not_found', sentence);
}

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
  async newest(): Promise<Stamp> {
    const { size, stampedAt } =
      (await findNewestStamp(this.em.fork())) ?? notFound('There is no time-stamp yet.');
    return { size, stampedAt };
  }

  /** The time-stamp, as it was answered to us; `size` says of which checkpoint. @throws as `newest` */
  async covering(size: string): Promise<{ size: number; answer: Buffer }> {
    const stamp = await this.find(size);
    return { size: stamp.size, answer: await this.storage.readStamp(stamp.size) };
  }

  /** The checkpoint that it is of. @throws as `newest` */
  async stamped(size: string): Promise<string> {
    return this.storage.readStamped((await this.find(size)).size);
  }

  private async find(size: string): Promise<Stamp> {
    const covering = SIZE.test(size) ? await findStampCovering(this.em.fork(), Number(size)) : null;
    return covering ?? notFound('No time-stamp covers so many entries, or not yet.');
  }
}

function notFound(sentence: string): never {
  throw new DomainError('timestamp_not_found', sentence);
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { isDeepStrictEqual } from 'node:util';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { storedConfiguration } from '../domain/configuration.js';
import { withPresetModes } from '../domain/region-preset.js';
import { type PresetUser, presetUsersAfter } from '../infrastructure/configuration.rows.js';
import { configurationChangedMessage } from '../publishing.events.js';
import { SiteSource } from './site-reader.js';

const EVERY_MS = 60 * 60_000;
/** Projects of one statement. */
const BATCH_ROWS = 500;

/** Publishes sites whose presets have changed since their last publication. */
@Injectable()
export class PresetUpdates implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly source: SiteSource,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'preset-updates', everyMs: EVERY_MS, run: (now) => this.run(now) });
  }

  /** Returns the number of republished sites. A site that is due twice is republished unchanged. */
  async run(now: Date): Promise<number> {
    let total = 0;
    for (let after: string | null = null; ;) {
      const users = await presetUsersAfter(this.em.fork(), after, BATCH_ROWS);
      for (const user of users) if (await this.isDue(user, now)) total += await this.publish(user.projectId);
      after = users.at(-1)?.projectId ?? null;
      if (users.length < BATCH_ROWS) return total;
    }
  }

  /** Whether visitors would get another document now. Rules that the tier leaves out change none. */
  private async isDue({ projectId, configuration, last }: PresetUser, now: Date): Promise<boolean> {
    const current = withPresetModes(storedConfiguration(configuration), now);
    if (isDeepStrictEqual(current, storedConfiguration(last.configuration))) return false;
    return (await this.source.render(projectId, now))?.hash !== last.contentHash;
  }

  private async publish(projectId: string): Promise<number> {
    await this.em
      .fork()
      .transactional((tx) => this.outbox.append(tx, configurationChangedMessage(projectId)));
    return 1;
  }
}

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { InjectSettings } from '../../shared/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../shared/service.settings.js';
import { findHome, noteHome } from '../infrastructure/cursor-rows.js';
import { haltSignedLogs } from '../infrastructure/log-ends.js';

/** Below DATA_DIR: the embedded server makes the first once and never writes it again; the second exists while it runs. */
const MADE_ONCE = 'postgres/PG_VERSION';
const RUNNING = 'postgres/postmaster.pid';

const COPIED =
  'The data folder is a copy, so checkpoints signed after the copy are unknown here. ' +
  'Start a new log: npm run ops -- evidence continue --all --reason …';

/**
 * Notices at a start that the data folder was restored from a copy, database and storage together, which neither of
 * them shows. A copy of a file has another inode and another change time, and nothing sets both back. Every log that was
 * signed is halted then.
 */
@Injectable()
export class NoticeCopy implements OnModuleInit {
  private readonly logger = new Logger(NoticeCopy.name);

  constructor(
    private readonly em: EntityManager,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    const { dataDir } = this.service;
    if (!existsSync(join(dataDir, RUNNING)) || !existsSync(join(dataDir, MADE_ONCE))) return;
    const { ino, ctimeNs } = statSync(join(dataDir, MADE_ONCE), { bigint: true });
    const home = `${ino} ${ctimeNs}`;
    await this.em.fork().transactional(async (tx) => {
      const known = await findHome(tx);
      if (known === home) return;
      const [formerIno, formerCtimeNs] = known?.split(' ') ?? [];
      // One of the two changes without a copy: by `chown`, or on file systems that number files anew.
      const isCopy = known !== null && formerIno !== String(ino) && formerCtimeNs !== String(ctimeNs);
      const halted = isCopy ? await haltSignedLogs(tx, COPIED) : 0;
      if (halted > 0) this.logger.error({ logs: halted }, COPIED);
      await noteHome(tx, home);
    });
  }
}

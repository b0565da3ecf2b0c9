import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { findHome, saveHome } from '../infrastructure/cursor.rows.js';
import { haltSignedLogs } from '../infrastructure/continuation.rows.js';

/** In DATA_DIR: the embedded server writes the first file once; the second exists while it runs. */
const WRITTEN_ONCE = 'postgres/data/PG_VERSION';
const RUNNING = 'postgres/data/postmaster.pid';

const COPIED =
  'The data folder is a copy, so checkpoints signed after the copy are unknown here. ' +
  'Start a new log: npm run ops -- evidence continue --all --reason …';

/**
 * Detects at startup that the data folder is a copy, and then halts every signed log. Database and storage were copied
 * together, so neither shows it. A copied file has another birth time, which no program can set. On file systems without
 * birth times, the inode and the change time must both differ: a restore may reuse the inode, and `chown` changes the time.
 */
@Injectable()
export class CopyDetector implements OnModuleInit {
  private readonly logger = new Logger(CopyDetector.name);

  constructor(
    private readonly em: EntityManager,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    const { dataDir } = this.service;
    if (!existsSync(join(dataDir, RUNNING)) || !existsSync(join(dataDir, WRITTEN_ONCE))) return;
    const home = readHome(join(dataDir, WRITTEN_ONCE));
    await this.em.fork().transactional(async (tx) => {
      const known = await findHome(tx);
      if (known === formatHome(home)) return;
      const isCopy = known !== null && isAnotherFile(known, home);
      const halted = isCopy ? await haltSignedLogs(tx, COPIED) : 0;
      if (halted > 0) this.logger.error({ logs: halted }, COPIED);
      await saveHome(tx, formatHome(home));
    });
  }
}

/** Identifies a file; the birth time is null on file systems without birth times. */
interface Home {
  ino: bigint;
  ctimeNs: bigint;
  birthtimeNs: bigint | null;
}

function readHome(file: string): Home {
  const { ino, ctimeNs, birthtimeNs } = statSync(file, { bigint: true });
  return { ino, ctimeNs, birthtimeNs: birthtimeNs === 0n ? null : birthtimeNs };
}

function formatHome({ ino, ctimeNs, birthtimeNs }: Home): string {
  return `${ino} ${ctimeNs} ${birthtimeNs ?? ''}`.trimEnd();
}

function isAnotherFile(known: string, { ino, ctimeNs, birthtimeNs }: Home): boolean {
  const [formerIno, formerCtimeNs, formerBirthtimeNs] = known.split(' ');
  if (formerBirthtimeNs !== undefined && birthtimeNs !== null)
    return formerBirthtimeNs !== String(birthtimeNs);
  return formerIno !== String(ino) && formerCtimeNs !== String(ctimeNs);
}

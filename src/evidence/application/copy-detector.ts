import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { findHome, saveHome } from '../infrastructure/cursor.rows.js';
import { haltSignedLogs } from '../infrastructure/continuation.rows.js';

/** Below DATA_DIR: the embedded server creates the first once and never writes it again; the second exists while it runs. */
const MADE_ONCE = 'postgres/data/PG_VERSION';
const RUNNING = 'postgres/data/postmaster.pid';

const COPIED =
  'The data folder is a copy, so checkpoints signed after the copy are unknown here. ' +
  'Start a new log: npm run ops -- evidence continue --all --reason …';

/**
 * Detects at startup that the data folder was restored from a copy, database and storage together, which neither of
 * them shows, and then halts every signed log. A copied file has another birth time, which no program sets back.
 * Where the file system has none, another inode with another change time must do: a restore may reuse the inode, and
 * `chown` changes the time.
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
    if (!existsSync(join(dataDir, RUNNING)) || !existsSync(join(dataDir, MADE_ONCE))) return;
    const home = homeOf(join(dataDir, MADE_ONCE));
    await this.em.fork().transactional(async (tx) => {
      const known = await findHome(tx);
      if (known === textOf(home)) return;
      const isCopy = known !== null && isAnotherFile(known, home);
      const halted = isCopy ? await haltSignedLogs(tx, COPIED) : 0;
      if (halted > 0) this.logger.error({ logs: halted }, COPIED);
      await saveHome(tx, textOf(home));
    });
  }
}

/** What identifies a file; the birth time is null where the file system has none. */
interface Home {
  ino: bigint;
  ctimeNs: bigint;
  birthtimeNs: bigint | null;
}

function homeOf(file: string): Home {
  const { ino, ctimeNs, birthtimeNs } = statSync(file, { bigint: true });
  return { ino, ctimeNs, birthtimeNs: birthtimeNs === 0n ? null : birthtimeNs };
}

function textOf({ ino, ctimeNs, birthtimeNs }: Home): string {
  return `${ino} ${ctimeNs} ${birthtimeNs ?? ''}`.trimEnd();
}

function isAnotherFile(known: string, { ino, ctimeNs, birthtimeNs }: Home): boolean {
  const [formerIno, formerCtimeNs, formerBirthtimeNs] = known.split(' ');
  if (formerBirthtimeNs !== undefined && birthtimeNs !== null)
    return formerBirthtimeNs !== String(birthtimeNs);
  return formerIno !== String(ino) && formerCtimeNs !== String(ctimeNs);
}

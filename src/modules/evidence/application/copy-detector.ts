import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { findHome, raiseLogEpoch, saveHome } from '../infrastructure/cursor.rows.js';
import { haltLog, haltSignedLogs, lockUnsigned } from '../infrastructure/continuation.rows.js';
import { NO_FORMER_HEAD, replaceLog } from './begin-log.js';
import { LogSigner } from './log-signer.js';

/** In DATA_DIR: the embedded server writes the first file once; the second exists while it runs. */
const WRITTEN_ONCE = 'postgres/data/PG_VERSION';
const RUNNING = 'postgres/data/postmaster.pid';

const COPIED =
  'The data folder is a copy, so checkpoints signed after the copy are unknown here. ' +
  'Start a new log: npm run ops -- evidence continue --all --reason …';

/**
 * Detects at startup that the data folder is a copy, and then halts every signed log. Logs that were not signed here, and
 * those that are created later, get another number in their origin: the original may have signed them since. Database and storage were copied
 * together, so neither shows it. A copied file has another birth time, which no program can set. On file systems without
 * birth times, the inode and the change time must both differ: a restore may reuse the inode, and `chown` changes the time.
 */
@Injectable()
export class CopyDetector implements OnModuleInit {
  private readonly logger = new Logger(CopyDetector.name);

  constructor(
    private readonly em: EntityManager,
    private readonly signer: LogSigner,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    const { dataDir } = this.service;
    if (!existsSync(join(dataDir, RUNNING)) || !existsSync(join(dataDir, WRITTEN_ONCE))) return;
    const home = readHome(join(dataDir, WRITTEN_ONCE));
    await this.em.fork().transactional(async (tx) => {
      const known = await findHome(tx);
      if (known === formatHome(home)) return;
      if (known !== null && isAnotherFile(known, home)) await this.separate(tx);
      await saveHome(tx, formatHome(home));
    });
  }

  /** Separates the logs of this copy from those of the original, in the caller's transaction. */
  private async separate(tx: EntityManager): Promise<void> {
    const epoch = await raiseLogEpoch(tx);
    const halted = await haltSignedLogs(tx, COPIED);
    if (halted > 0) this.logger.error({ logs: halted }, COPIED);
    const unsigned = await lockUnsigned(tx);
    const next = { signer: this.signer, epoch, reason: NO_FORMER_HEAD, head: null, note: null };
    for (const log of unsigned)
      if (this.signer.canSign) await replaceLog(tx, log, next);
      else await haltLog(tx, log.log, COPIED);
    this.logger.warn(
      { epoch, replaced: unsigned.length },
      'the data folder is a copy: new logs get a number',
    );
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

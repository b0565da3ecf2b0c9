import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeEvents } from '../../events/event.log.js';
import { AccessService } from '../../access/access.service.js';
import type { Role } from '../../access/domain/role.js';
import { writeAudit } from '../../audit/audit.log.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';
import {
  type AlertRecipient,
  findAlert,
  getsAlerts,
  readUnsubscribeToken,
  type ScanAlert,
  writeUnsubscribeToken,
} from '../domain/scan-alert.js';
import {
  claimAlerts,
  readAlertChoices,
  readFirstBeforeConsent,
  readLoaderGone,
  readNewItemIds,
} from '../infrastructure/alert.rows.js';
import type { ScanRef } from '../infrastructure/evidence.rows.js';
import { ScanAlertChoice } from '../infrastructure/scan.entities.js';
import type { EvaluatedScan } from './compute-findings.js';

/** Mails members and tells receivers about a scan's findings, and stores who receives these mails. */
@Injectable()
export class ScanAlerts implements OnModuleInit {
  private readonly keys: Buffer[];

  constructor(
    private readonly em: EntityManager,
    private readonly access: AccessService,
    private readonly mails: MailService,
    private readonly projects: ProjectEvents,
    @InjectSettings(secretSettings) { secretKeys }: SecretSettings,
  ) {
    this.keys = secretKeys.map(({ key }) => key);
  }

  /** A former member's choice is deleted. */
  onModuleInit(): void {
    this.projects.listen({
      membersLeft: async (tx, { userId, projectIds }) => {
        await tx.nativeDelete(ScanAlertChoice, { userId, projectId: { $in: [...projectIds] } });
      },
    });
  }

  /** Once per scan, in the transaction that evaluates it. Returns the reported items; null: none. */
  async send(tx: EntityManager, scan: ScanRef, evaluated: EvaluatedScan): Promise<ScanAlert | null> {
    if (!(await claimAlerts(tx, scan))) return null;
    await writeScanEvents(tx, scan, evaluated);
    const { ended, items } = evaluated;
    const alert = findAlert({
      items,
      newIds: await readNewItemIds(tx, scan, ended),
      beforeConsentIds: await readFirstBeforeConsent(tx, scan),
      loaderGone: await readLoaderGone(tx, scan),
    });
    const project = alert && (await findProject(tx, scan.projectId));
    if (!project) return null;
    const { projectId, scanId } = scan;
    await writeAudit(
      tx,
      { kind: 'system' },
      { projectId, action: 'scan.alert', target: scanId, after: { ...alert } },
    );
    for (const { userId, email } of await this.recipients(tx, projectId)) {
      const token = this.tokenFor({ projectId, userId });
      const values = { project: project.name, scanId, ...alert, token };
      await this.mails.send({ to: email, template: 'scan_alert', values, projectId }, tx);
    }
    return alert;
  }

  /** Whether a member gets alerts. */
  async read({ projectId, userId }: AlertRecipient, role: Role): Promise<boolean> {
    const em = this.em.fork();
    const chosen = (await readAlertChoices(em, projectId)).get(userId);
    if (chosen !== undefined) return chosen;
    const members = await this.access.membersOf(em, projectId);
    return members.some((member) => member.userId === userId && member.isContact) && getsAlerts(role, null);
  }

  async save({ projectId, userId }: AlertRecipient, enabled: boolean): Promise<void> {
    await this.em.fork().upsert(ScanAlertChoice, { projectId, userId, enabled });
  }

  /** The name of the project of a mailed link; null: the link is not valid. Empty: the member left the project. */
  async projectOf(token: string): Promise<string | null> {
    const recipient = readUnsubscribeToken(token, this.keys);
    if (!recipient) return null;
    return (await this.membership(this.em.fork(), recipient))?.name ?? '';
  }

  /** Turns alerts off for the member of a mailed link; false: the link is not valid. May be repeated. */
  async unsubscribe(token: string): Promise<boolean> {
    const recipient = readUnsubscribeToken(token, this.keys);
    if (!recipient) return false;
    await this.em.fork().transactional(async (tx) => {
      if (await this.membership(tx, recipient))
        await tx.upsert(ScanAlertChoice, { ...recipient, enabled: false });
    });
    return true;
  }

  private async membership(em: EntityManager, { projectId, userId }: AlertRecipient) {
    const members = await this.access.membersOf(em, projectId);
    return members.some((member) => member.userId === userId) ? findProject(em, projectId) : null;
  }

  private async recipients(
    tx: EntityManager,
    projectId: string,
  ): Promise<{ userId: string; email: string }[]> {
    const choices = await readAlertChoices(tx, projectId);
    const members = await this.access.membersOf(tx, projectId);
    return members.filter(({ userId, role, emailConfirmed, isContact }) => {
      const chosen = choices.get(userId) ?? null;
      return emailConfirmed && (isContact || chosen !== null) && getsAlerts(role, chosen);
    });
  }

  private tokenFor(recipient: AlertRecipient): string {
    // Without a key, no mail is sent at all: the service requires one.
    return writeUnsubscribeToken(recipient, this.keys[0] ?? Buffer.alloc(0));
  }
}

async function writeScanEvents(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
  { openedIds, lacksLoader }: EvaluatedScan,
): Promise<void> {
  const about = { id: scanId, data: {} };
  const opened = openedIds.map((id) => ({ type: 'scan.finding_opened' as const, id, data: { scanId } }));
  const missing = lacksLoader ? [{ type: 'scan.loader_missing' as const, ...about }] : [];
  await writeEvents(tx, projectId, [{ type: 'scan.finished', ...about }, ...missing, ...opened]);
}

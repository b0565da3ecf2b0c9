import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ConsentEvents } from '../../consent/consent.events.js';
import type { RecordsErased } from '../../consent/domain/erasure.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { RECORD_ERASED } from '../domain/erased-record.js';

/** Takes the deliveries of erased records away and, where the project wants it, has its receiver told. */
@Injectable()
export class EraseDeliveries implements OnModuleInit {
  constructor(
    private readonly events: ConsentEvents,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.events.onErasure((tx, erased) => this.erase(tx, erased));
  }

  private async erase(tx: EntityManager, { projectId, consentIds, erasedAt }: RecordsErased): Promise<void> {
    await forgetDeliveries(tx, { projectId, consentIds });
    const { rows } = await sql`
      select from forwarding_settings where project_id = ${projectId} and enabled and forward_erasures
    `.execute(tx.getKysely());
    if (rows.length === 0) return;
    const about = { orderingKey: projectId, projectId, topic: RECORD_ERASED };
    const payload = { erasedAt: erasedAt.toISOString() };
    await this.outbox.appendMany(
      tx,
      consentIds.map((subjectId) => ({ ...about, subjectId, payload })),
    );
  }
}

/** Deletes what is kept of the sending of records. */
export async function forgetDeliveries(
  tx: EntityManager,
  { projectId, consentIds }: Pick<RecordsErased, 'projectId' | 'consentIds'>,
): Promise<void> {
  await sql`
    delete from delivery where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
}

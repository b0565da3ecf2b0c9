import { Module, type OnModuleInit } from '@nestjs/common';
import { PartitionMaintenance, type PartitionedTable } from '../../platform/database/partitions.js';
import { monthStart } from '../../platform/time/instant.js';
import { AuditReader } from './application/audit-reader.js';
import { AUDIT_MONTHS_KEPT, SECURITY_LOG_MONTHS_KEPT } from './domain/audit-event.js';

export const AUDIT_EVENTS: PartitionedTable = { name: 'audit_event', period: 'month' };
export const SECURITY_EVENTS: PartitionedTable = { name: 'security_event', period: 'month' };

/** Stores and reads the audit log; writers call audit.log.ts. */
@Module({ providers: [AuditReader], exports: [AuditReader] })
export class AuditModule implements OnModuleInit {
  constructor(private readonly partitions: PartitionMaintenance) {}

  async onModuleInit(): Promise<void> {
    await this.partitions.register(AUDIT_EVENTS, (now) => monthStart(now, -AUDIT_MONTHS_KEPT));
    await this.partitions.register(SECURITY_EVENTS, (now) => monthStart(now, -SECURITY_LOG_MONTHS_KEPT));
  }
}

import { Module } from '@nestjs/common';
import { AuditReader } from './application/audit-reader.js';
import { AuditPartitionMaintenance } from './application/audit-partition-maintenance.js';

/** Stores and reads the audit log; writers call audit.log.ts. Its routes are in AuditHttpModule. */
@Module({ providers: [AuditReader, AuditPartitionMaintenance], exports: [AuditReader] })
export class AuditModule {}

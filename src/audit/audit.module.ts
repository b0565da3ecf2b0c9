import { Module } from '@nestjs/common';
import { AuditReader } from './application/audit-reader.js';
import { KeepAuditPartitions } from './application/keep-audit-partitions.js';

/** Stores and reads the audit log; writers call audit.log.ts. Its routes are in AuditHttpModule. */
@Module({ providers: [AuditReader, KeepAuditPartitions], exports: [AuditReader] })
export class AuditModule {}

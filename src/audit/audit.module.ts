import { Module } from '@nestjs/common';
import { AuditReader } from './application/audit-reader.js';
import { KeepAuditPartitions } from './application/keep-audit-partitions.js';

/** Keeps the audit and reads it; whoever writes it calls audit.log.ts. Its routes are in AuditHttpModule. */
@Module({ providers: [AuditReader, KeepAuditPartitions], exports: [AuditReader] })
export class AuditModule {}

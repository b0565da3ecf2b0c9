import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditModule } from '../audit.module.js';
import { AuditController } from './audit.controller.js';
import { SecurityLogController } from './security-log.controller.js';

/** The audit routes. They depend on access, and access writes audit events: hence two modules. */
@Module({ imports: [AccessModule, AuditModule], controllers: [AuditController, SecurityLogController] })
export class AuditHttpModule {}

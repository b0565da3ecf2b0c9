import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { ApiKeyService } from './api-key.service.js';

@Module({
  providers: [ApiKeyService, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [ApiKeyService],
})
export class AccessModule {}

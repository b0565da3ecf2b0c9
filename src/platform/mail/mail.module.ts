import { Global, Module } from '@nestjs/common';
import { MailSender } from './application/mail-sender.js';
import { MailMetrics } from './infrastructure/mail.metrics.js';
import { MailService } from './mail.service.js';

/** Mail to people through the outbox. Senders inject `MailService`. */
@Global()
@Module({ providers: [MailService, MailSender, MailMetrics], exports: [MailService] })
export class MailModule {}

import type { ServiceSettings } from '../../settings/service.settings.js';
import type { MailSettings } from '../mail.settings.js';
import { parseSmtpServer } from '../domain/smtp-server.js';
import { fileMailer, mailFolder } from './mail-files.js';
import { type Mailer, smtpMailer } from './smtp-mailer.js';

/**
 * The destination of mails: a server; in development a folder; in production without a server,
 * null.
 */
export function createMailer(
  { mailUrl }: Pick<MailSettings, 'mailUrl'>,
  { production, dataDir }: Pick<ServiceSettings, 'production' | 'dataDir'>,
): Mailer | null {
  const server = parseSmtpServer(mailUrl);
  if (server) return smtpMailer(server);
  return production ? null : fileMailer(mailFolder(dataDir));
}

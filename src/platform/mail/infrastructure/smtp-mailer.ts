import { loadOnDemand } from '../../process/load-on-demand.js';
import { judgeFault, type MailFault, type MailVerdict } from '../domain/delivery-verdict.js';
import type { RenderedLetter } from '../domain/letter.js';
import type { SmtpServer } from '../domain/smtp-server.js';

/**
 * TCP and TLS to a healthy server take a second at most; the greeting may wait for its lookups (RFC
 * 5321 §4.5.3.2).
 */
const CONNECT_TIMEOUT_MS = 5_000;
const GREETING_TIMEOUT_MS = 10_000;
/** Idle time within a session. */
const SILENCE_TIMEOUT_MS = 10_000;

/** A letter and its recipient. */
export interface OutgoingMail extends RenderedLetter {
  /** The same for each attempt, so that duplicates can be recognized. */
  id: string;
  from: string;
  to: string;
}

/** Sends a mail; never throws, and its verdict contains nothing of the mail. */
export type Mailer = (mail: OutgoingMail, signal: AbortSignal) => Promise<MailVerdict>;

/**
 * Sends mails to a server, each over a separate connection. Certificates are checked; `signal`
 * aborts an attempt at any point. Responses and library errors are classified and never repeated,
 * because they contain addresses.
 */
export function smtpMailer({ host, port, encryption, credentials }: SmtpServer): Mailer {
  const { createTransport } = loadOnDemand('nodemailer') as typeof import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: encryption === 'implicit',
    requireTLS: encryption === 'required',
    ignoreTLS: encryption === 'none',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    logger: false,
    // Templates are plain text, so nothing in them may reference a file or a URL to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ id, from, to, subject, text, html, unsubscribeUrl }, signal) => {
    const messageId = `<${id}@${from.slice(from.lastIndexOf('@') + 1).replace('>', '')}>`;
    try {
      await transport.sendMail({
        from,
        // As an object it is always a single address.
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId,
        headers: {
          // Suppresses vacation replies (RFC 3834).
          'Auto-Submitted': 'auto-generated',
          // Lets mail clients unsubscribe with one click (RFC 8058).
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
        signal,
      });
      return { kind: 'accepted' };
    } catch (error) {
      return judgeFault(error as MailFault);
    }
  };
}

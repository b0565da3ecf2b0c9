import { BRAND } from '../identity/brand.js';
import { declareSettings, type SettingsOf } from '../settings/declare-settings.js';
import { text, url } from '../settings/setting-kinds.js';
import { parseSmtpServer } from './domain/smtp-server.js';

/** `name@host`, or `A Name <name@host>`. */
const SENDER = /^(?:[^<>@"\r\n]{1,100} <([^<>\s@]+@[^<>\s@]+)>|[^<>\s@]+@[^<>\s@]+)$/;

/** Settings of the mail server. */
export const mailSettings = declareSettings({
  name: 'mail',
  title: 'Mail',
  settings: {
    /** Empty: files in DATA_DIR; in production no mail. */
    mailUrl: url('MAIL_URL', {
      protocols: ['smtp:', 'smtps:'],
      default: '',
      defaultShown: 'files in `DATA_DIR`; production: no email',
      example: 'smtps://user:password@mail.example.com',
      secret: true,
      meaning: 'mail server; without it, production sends no email and refuses requests that need it',
      advice: 'Percent-encode user and password. smtp:// uses STARTTLS and sends no password without it.',
      check: (value, refuse) => {
        if (parseSmtpServer(value) === null)
          refuse('must name a server, optionally with port, user, and password, and nothing after them.');
      },
    }),
    mailFrom: text('MAIL_FROM', {
      default: `${BRAND} <no-reply@localhost>`,
      meaning: 'sender of all email, `name@host` or `A Name <name@host>`; required with `MAIL_URL`',
      check: (value, refuse) => {
        if (!SENDER.test(value)) refuse('must be an address, or a name with an address in angle brackets.');
      },
    }),
  },
  check: ({ mailUrl }, read, own) => {
    if (mailUrl && !read.given(own.mailFrom)) read.refuse(own.mailFrom, 'must be set with MAIL_URL.');
  },
});

export type MailSettings = SettingsOf<typeof mailSettings>;

import { atMost, type Command, OperatorError, print, UsageError } from '../../operations/operator-command.js';
import { serviceSettings } from '../../settings/service.settings.js';
import { newId } from '../../identity/ids.js';
import { mailSettings } from '../mail.settings.js';

/** The time limit of a worker. */
const TEST_MAX_MS = 30_000;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** Operator commands for mail. */
export const mailCommands: Command[] = [
  {
    name: 'mail test',
    synopsis: '<address>',
    summary: "send a test email through MAIL_URL and print the server's response",
    options: {},
    prepare: (parsed) => {
      const [to] = parsed.args;
      if (to === undefined || !ADDRESS.test(to))
        throw new UsageError('Specify the address to send the test email to.');
      atMost(1, parsed);
      return async ({ settings }) => {
        const [{ createMailer }, { renderLetter }, { MAILS, mailWords }] = await Promise.all([
          import('../infrastructure/mailer.js'),
          import('../domain/letter.js'),
          import('../domain/mail-templates.js'),
        ]);
        const mail = settings(mailSettings);
        const mailer = createMailer(mail, settings(serviceSettings));
        if (!mailer) throw new OperatorError('MAIL_URL is not set: this service sends no email.');
        const letter = renderLetter(MAILS.test({}, mailWords('en', { baseUrl: '', projectId: null })));
        const verdict = await mailer(
          { id: newId(), from: mail.mailFrom, to, ...letter },
          AbortSignal.timeout(TEST_MAX_MS),
        );
        if (verdict.kind !== 'accepted') throw new OperatorError(verdict.sentence);
        print(
          mail.mailUrl ? 'The mail server accepted the email.' : 'Written to the folder "mail" in DATA_DIR.',
        );
      };
    },
  },
];

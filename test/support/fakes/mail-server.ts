import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server';
import { freePort } from '../programs/free-port.js';
import { until } from '../until.js';

/** The server's responses to the next mails, one each; then it accepts mails. */
export interface Refusal {
  at: 'rcpt' | 'data';
  status: number;
  words: string;
}

/** A mail as it has arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  messageId: string | undefined;
  subject: string | undefined;
  text: string;
  html: string;
  headers: Email['headers'];
}

/** A real mail server on loopback. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  readonly refusals: Refusal[] = [];
  /** Users and passwords that were offered. */
  readonly logins: string[] = [];
  /** While true, connections are taken and never answered. */
  silent = false;
  /** Mails to addresses at such a host are answered once they are released. */
  heldHost: string | null = null;
  private server: SMTPServer | null = null;
  private options: SMTPServerOptions = {};
  private waiting: (() => void)[] = [];
  port = 0;

  /** `credentials`, where given, have to be shown. */
  static async start(
    credentials?: { user: string; password: string },
    { secure = false, startTls = true }: { secure?: boolean; startTls?: boolean } = {},
  ): Promise<MailServer> {
    const mail = new MailServer();
    mail.options = {
      // By a certificate that comes with the library.
      secure,
      disabledCommands: [...(credentials ? [] : ['AUTH']), ...(startTls ? [] : ['STARTTLS'])],
      allowInsecureAuth: true,
      authOptional: !credentials,
      disableReverseLookup: true,
      logger: false,
      onConnect: (_session, answer) => {
        if (mail.silent) mail.waiting.push(() => answer());
        else answer();
      },
      onAuth: ({ username, password }, _session, answer) => {
        mail.logins.push(`${username}:${password}`);
        const right = username === credentials?.user && password === credentials?.password;
        if (right) answer(null, { user: username });
        else answer(new Error('Invalid username or password'));
      },
      onRcptTo: ({ address }, _session, answer) => {
        const goOn = (): void => answer(mail.refusalAt('rcpt', address));
        if (mail.heldHost !== null && address.endsWith(`@${mail.heldHost}`)) mail.waiting.push(goOn);
        else goOn();
      },
      onData: (stream, session, answer) => {
        const { mailFrom, rcptTo } = session.envelope;
        const envelope = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
        };
        void mail.take(stream, envelope).then(answer, answer);
      },
    };
    await mail.up();
    return mail;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** How many connections and mails wait for an answer. */
  get held(): number {
    return this.waiting.length;
  }

  /** Answers all that was held, and holds no more. */
  release(): void {
    this.heldHost = null;
    for (const answer of this.waiting.splice(0)) answer();
  }

  /** Listens, on the port that it had before; nothing where it does so already. */
  async up(): Promise<void> {
    if (this.server) return;
    this.port ||= await freePort();
    const server = new SMTPServer(this.options);
    server.on('error', () => {});
    await new Promise<void>((ready) => server.listen(this.port, '127.0.0.1', ready));
    this.server = server;
  }

  async down(): Promise<void> {
    for (const answer of this.waiting.splice(0)) answer();
    const { server } = this;
    this.server = null;
    if (server) await new Promise<void>((done) => server.close(() => done()));
  }

  /** The next mail to an address that no call has returned yet; `wake` wakes a worker. */
  async mailTo(to: string, wake: () => void = () => {}): Promise<ReceivedMail> {
    return until(`a mail to ${to}`, () => {
      wake();
      const index = this.received.findIndex((mail) => mail.to.includes(to));
      return index === -1 ? null : this.received.splice(index, 1)[0];
    });
  }

  private refusalAt(at: Refusal['at'], address: string): Error | null {
    if (this.refusals[0]?.at !== at) return null;
    const { status, words } = this.refusals.shift() as Refusal;
    return Object.assign(new Error(words.replace('{to}', address)), { responseCode: status });
  }

  private async take(
    stream: SMTPServerDataStream,
    { from, to }: { from: string; to: string[] },
  ): Promise<Error | null> {
    const {
      messageId,
      subject,
      text: plain = '',
      html = '',
      headers,
    } = await PostalMime.parse(await text(stream));
    const refusal = this.refusalAt('data', to[0] ?? '');
    if (!refusal) this.received.push({ from, to, messageId, subject, text: plain, html, headers });
    return refusal;
  }
}

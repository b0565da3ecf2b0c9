/** The mail library's error for a refused mail. Its message contains addresses and is not used. */
export interface MailFault {
  /** e.g. `ESOCKET`, `EENVELOPE`. */
  code?: string | undefined;
  /** The command that was rejected, e.g. `RCPT TO`. */
  command?: string | undefined;
  /** The server's status, e.g. 451. */
  responseCode?: number | undefined;
  /** The server's response, of which only the enhanced status is used (RFC 3463): the rest contains the address. */
  response?: string | undefined;
}

/**
 * The result of an attempt to send a mail. The sentence is for an operator, and contains neither
 * recipient nor content.
 */
export type MailVerdict = { kind: 'accepted' } | { kind: 'retry' | 'refused'; sentence: string };

/** The steps at which a server judges the mail itself: sender, recipient, content. */
const ABOUT_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];
const PERMANENT_MIN = 500;
/** A session in the wrong state, which is independent of the mail. */
const BAD_SEQUENCE = 503;
const ENHANCED_STATUS = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;

const SENTENCES: Record<string, string> = {
  ECONNECTION: 'The mail server closed the connection.',
  ETIMEDOUT: 'The mail server did not respond in time.',
  ESOCKET: 'Cannot connect to the mail server.',
  EDNS: 'The host of the mail server cannot be resolved.',
  ETLS: 'The mail server does not offer trusted encryption.',
  EAUTH: 'The mail server rejected the user or password of MAIL_URL.',
  ENOAUTH: 'The mail server requires a user and a password in MAIL_URL.',
  EABORT: 'The mail server did not accept the email in time.',
};

/**
 * Classifies a failure. If the server permanently rejects (5xx) sender, recipient or content, the
 * mail is refused; all other problems of the server, or of MAIL_URL, may be temporary.
 */
export function judgeFault({ code = '', command, responseCode, response = '' }: MailFault): MailVerdict {
  const status = responseCode === undefined ? '' : ` ${responseCode}`;
  const enhanced = ENHANCED_STATUS.exec(response)?.[1];
  const answer = responseCode === undefined ? '' : `${status}${enhanced === undefined ? '' : ` ${enhanced}`}`;
  const isPermanent =
    responseCode !== undefined && responseCode >= PERMANENT_MIN && responseCode !== BAD_SEQUENCE;
  if (ABOUT_THE_MAIL.includes(code)) {
    const at = command === undefined ? '' : ` to ${command}`;
    if (isPermanent)
      return { kind: 'refused', sentence: `The mail server rejected the email:${answer}${at}.` };
    return { kind: 'retry', sentence: `The mail server deferred the email:${answer}${at}.` };
  }
  const sentence = SENTENCES[code] ?? 'The mail server failed.';
  return { kind: 'retry', sentence: answer === '' ? sentence : `${sentence.slice(0, -1)}:${answer}.` };
}

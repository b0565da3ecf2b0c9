/** The mail library's error for a refused mail. Its message contains addresses and is not used. */
export interface MailFault {
  /** e.g. `ESOCKET`, `EENVELOPE`. */
  code?: string | undefined;
  /** The command that was answered, e.g. `RCPT TO`. */
  command?: string | undefined;
  /** The server's status, e.g. 451. */
  responseCode?: number | undefined;
  /** The server's response, of which only the enhanced status is used (RFC 3463): the rest contains the address. */
  response?: string | undefined;
}

/** How an attempt to send a mail ended. The sentence is for an operator, and names neither addressee nor content. */
export type MailVerdict = { kind: 'accepted' } | { kind: 'retry' | 'refused'; sentence: string };

/** The steps at which a server judges this very mail: its sender, its addressee, its content. */
const ABOUT_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];
const PERMANENT_MIN = 500;
/** A session in the wrong state, which says nothing of the mail. */
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
 * What is done about a mail that was not taken. One that the server has refused for good (5xx to sender, addressee or
 * content) is refused; with everything else the server, or MAIL_URL, may be well again later.
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

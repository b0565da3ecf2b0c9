/** The mail server of MAIL_URL. */
export interface SmtpServer {
  host: string;
  port: number;
  /**
   * How the connection is encrypted. `implicit`: from the first byte. `required`: by STARTTLS, or
   * nothing is sent. `offered`: by STARTTLS if the server offers it. `none`: not at all.
   */
  encryption: 'implicit' | 'required' | 'offered' | 'none';
  /** null: the server requires none. */
  credentials: { user: string; password: string } | null;
}

/** Default ports for submission over TLS (RFC 8314) and with STARTTLS (RFC 6409). */
const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;

/**
 * Parses `smtp://user:password@host:port`; null if the URL has other parts. Passwords are sent only
 * over TLS, except on loopback, where mail servers have self-signed certificates and nothing is
 * encrypted.
 */
export function parseSmtpServer(given: string): SmtpServer | null {
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  const implicit = url.protocol === 'smtps:';
  if (!implicit && url.protocol !== 'smtp:') return null;
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.search || url.hash) return null;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null || (user === '') !== (password === '')) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const credentials = user === '' ? null : { user, password };
  const starttls = isThisMachine(host) ? 'none' : credentials ? 'required' : 'offered';
  return {
    host,
    port: url.port === '' ? (implicit ? SMTPS_PORT : SUBMISSION_PORT) : Number(url.port),
    encryption: implicit ? 'implicit' : starttls,
    credentials,
  };
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

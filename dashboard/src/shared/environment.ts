const meta = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;

/** Whether the service runs in production, from its page; development features are hidden then. */
export const isProduction = (): boolean => meta('environment') === 'production';

/** Whether the service has a mail server; without one its mails are files. */
export const sendsMail = (): boolean => meta('mail') !== 'files';

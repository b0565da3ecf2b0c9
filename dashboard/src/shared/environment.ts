const meta = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;

/** Whether the service runs in production, from its page; development features are hidden then. */
export const isProduction = (): boolean => meta('environment') === 'production';

/** How people on this page get mail: `server`, `inbox` (shown by the service in development), or `none`. */
export const mailsShown = (): string => meta('mail') ?? 'server';

/** Name of this cell; empty: the installation is the only one. */
export const cellName = (): string => meta('cell') ?? '';

const meta = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;

/** Whether the service runs in production, from its page; development features are hidden then. */
export const isProduction = (): boolean => meta('environment') === 'production';

/** How somebody here gets a mail: from a mail server, in the inbox of development, or only from the operator. */
export const mailsShown = (): string => meta('mail') ?? 'server';

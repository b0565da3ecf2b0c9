/** Whether the service runs in production, from its page; development features are hidden then. */
export const isProduction = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name=environment]')?.content === 'production';

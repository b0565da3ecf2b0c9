/** Whether the service runs in production, as its page says; what is for development is left out there. */
export const isProduction = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name=environment]')?.content === 'production';

import { lazyRouteComponent } from '@tanstack/react-router';
import { loadPageMessages } from '../i18n/i18n';

/** A lazily loaded page whose messages are in a separate file, which is loaded before the page's modules. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  messages: Parameters<typeof loadPageMessages>[0],
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    await loadPageMessages(messages);
    return load();
  }, name);
}

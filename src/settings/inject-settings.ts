import { Inject } from '@nestjs/common';
import { getConfigToken } from '@nestjs/config';
import type { Namespace } from './declare-settings.js';

/** Behind what Nest keeps the settings of a module, for factories. */
export const settingsToken = ({ name }: Namespace): string => getConfigToken(name);

/**
 * Injects the settings of one module, as the start has checked and completed them:
 * `@InjectSettings(forwardingSettings) settings: SettingsOf<typeof forwardingSettings>`.
 */
export const InjectSettings = ({ name }: Namespace): ReturnType<typeof Inject> =>
  Inject(getConfigToken(name));

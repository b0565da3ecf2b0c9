import { Inject } from '@nestjs/common';
import { getConfigToken } from '@nestjs/config';
import type { Namespace } from './declare-settings.js';

/** The token of a module's settings: `KEY` of its `registerAs` in `app.module.ts`. For `inject` of factories. */
export const settingsToken = ({ name }: Namespace): string => getConfigToken(name);

/**
 * Injects the settings of a module: `@InjectSettings(forwardingSettings) settings: ForwardingSettings`. The same as
 * `@Inject(config.KEY) settings: ConfigType<typeof config>` of `@nestjs/config`, but the declaration needs no Nest, so
 * that a start can check all settings before it loads the application, and documentation is generated from it (ADR 23).
 */
export const InjectSettings = ({ name }: Namespace): ReturnType<typeof Inject> =>
  Inject(getConfigToken(name));

import { Inject } from '@nestjs/common';

export type { Settings } from '../app/config.js';

/** Injection token of the settings that were checked at boot. */
export const SETTINGS = Symbol('SETTINGS');

export const InjectSettings = (): ReturnType<typeof Inject> => Inject(SETTINGS);

import { en } from './en';

export type Texts = typeof en;

/** Everything that the dashboard says, in the person's language. */
export const t: Texts = en;

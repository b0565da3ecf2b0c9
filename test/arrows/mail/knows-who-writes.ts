import { forwarding } from '../forwarding/forwarding.module.js';

export const taken = forwarding;

import { outbox } from '../outbox/outbox.service.js';

export const taken = outbox;

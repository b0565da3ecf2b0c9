import { events } from '../../consent/consent.events.js';

export const taken = events;

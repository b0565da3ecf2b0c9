import { store } from '../infrastructure/store.js';

export const taken = store;

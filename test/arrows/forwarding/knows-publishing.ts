import { publishing } from '../publishing/publishing.module.js';

export const taken = publishing;

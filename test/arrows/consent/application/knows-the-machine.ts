import { machine } from '../../standalone/machine.js';

export const taken = machine;

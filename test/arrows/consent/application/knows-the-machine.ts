import { machine } from '../../one-machine/machine.js';

export const taken = machine;

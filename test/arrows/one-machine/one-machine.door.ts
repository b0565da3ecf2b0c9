export const door = 'one-machine';

export const machine = 0;

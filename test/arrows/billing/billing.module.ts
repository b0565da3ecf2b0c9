export const billing = 0;

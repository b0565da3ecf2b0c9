export const name = 0;

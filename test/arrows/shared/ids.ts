export const ids = 0;

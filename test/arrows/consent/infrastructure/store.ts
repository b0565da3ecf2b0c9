export const store = 0;

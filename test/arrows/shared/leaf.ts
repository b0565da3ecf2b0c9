export const leaf = 0;

export const guard = 0;

export const tier = 0;

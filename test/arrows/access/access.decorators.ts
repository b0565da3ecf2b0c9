export const decorators = 0;
